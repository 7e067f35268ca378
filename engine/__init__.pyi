from .errors import (
    InputError as InputError,
)
from .errors import (
    MoveError as MoveError,
)
from .errors import (
    NotStoredError as NotStoredError,
)
from .errors import (
    Problem as Problem,
)
from .errors import (
    StateError as StateError,
)
from .errors import (
    StoreError as StoreError,
)
from .errors import (
    TriadError as TriadError,
)
from .game.cards import (
    Card as Card,
)
from .game.cards import (
    Catalogue as Catalogue,
)
from .game.cards import (
    Element as Element,
)
from .game.cards import (
    default_catalogue as default_catalogue,
)
from .game.cards import (
    load_cards as load_cards,
)
from .game.deal import Deal as Deal
from .game.deal import Player as Player
from .game.dealing import Dealer as Dealer
from .game.dealing import ElementSource as ElementSource
from .game.dealing import Strategy as Strategy
from .game.moves import Move as Move
from .game.rules import Rules as Rules
from .game.rules import Variant as Variant
from .game.state import Capture as Capture
from .game.state import State as State
from .game.zobrist import hash_text as hash_text
from .game.zobrist import state_hash as state_hash
from .search.solver import RankedMove as RankedMove
from .search.solver import Solution as Solution
from .search.solver import Solver as Solver
from .search.workspace import Query as Query
from .tablebase.retrograde import LAST_PLY as LAST_PLY
from .text.document import state_from_dict as state_from_dict
from .text.document import state_to_dict as state_to_dict
from .text.notation import (
    format_state as format_state,
)
from .text.notation import (
    parse_hands as parse_hands,
)
from .text.notation import (
    parse_layout as parse_layout,
)
from .text.notation import (
    parse_rules as parse_rules,
)
from .text.notation import (
    parse_state as parse_state,
)
from .text.picture import draw_state as draw_state

from .errors import (
    InputError as InputError,
    MoveError as MoveError,
    NotStoredError as NotStoredError,
    Problem as Problem,
    StateError as StateError,
    StoreError as StoreError,
    TriadError as TriadError,
)
from .game.cards import (
    Card as Card,
    Catalogue as Catalogue,
    Element as Element,
    default_catalogue as default_catalogue,
    load_cards as load_cards,
)
from .game.deal import Deal as Deal, Player as Player
from .game.dealing import Dealer as Dealer, ElementSource as ElementSource
from .game.moves import Move as Move
from .game.rules import Rules as Rules, Variant as Variant
from .game.state import Capture as Capture, State as State
from .game.strategy import Strategy as Strategy
from .game.zobrist import hash_text as hash_text, state_hash as state_hash
from .search.solver import RankedMove as RankedMove, Solution as Solution, Solver as Solver
from .search.workspace import Query as Query
from .tablebase.retrograde import LAST_PLY as LAST_PLY
from .text.document import state_from_dict as state_from_dict
from .text.notation import (
    format_state as format_state,
    parse_hands as parse_hands,
    parse_layout as parse_layout,
    parse_rules as parse_rules,
    parse_state as parse_state,
)
from .text.picture import draw_state as draw_state
from .text.wire import read_facts as read_facts, state_to_dict as state_to_dict

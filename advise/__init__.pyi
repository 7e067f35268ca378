from .advice import Advice as Advice
from .adviser import Adviser as Adviser, Wish as Wish
from .belief import Belief as Belief
from .objective import Kind as Kind, Objective as Objective, Style as Style
from .opponent import Opponent as Opponent, Replies as Replies
from .prior import Deck as Deck, Decks as Decks, Levels as Levels, Pool as Pool
from .view import View as View
from .world import World as World, state_in as state_in

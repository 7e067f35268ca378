from .opponent import Opponent as Opponent, Replies as Replies
from .view import View as View
from .world import World as World, state_in as state_in

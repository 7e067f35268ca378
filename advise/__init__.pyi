from .match import Match as Match
from .opponent import Opponent as Opponent, Replies as Replies
from .opponents import (
    ComputerModel as ComputerModel,
    Greedy as Greedy,
    Humanlike as Humanlike,
    Mixture as Mixture,
    Perfect as Perfect,
    Random as Random,
    Softmax as Softmax,
    Tremble as Tremble,
    parse_opponent as parse_opponent,
)
from .results import Results as Results
from .view import View as View
from .world import World as World, state_in as state_in

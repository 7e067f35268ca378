from .behaviour import likelihoods as likelihoods
from .dealt import DealtWorlds as DealtWorlds, Orders as Orders
from .match import Match as Match
from .open_values import payoff_of as payoff_of
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
from .posterior import Posterior as Posterior
from .response import Response as Response, respond as respond
from .results import Results as Results
from .trust import trusted as trusted
from .unknown import unknown_computer as unknown_computer
from .view import View as View
from .world import World as World, state_in as state_in
from .worlds import Combinations as Combinations

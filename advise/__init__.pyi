from .advice import Advice as Advice
from .adviser import Adviser as Adviser, Wish as Wish
from .behaviour import likelihoods as likelihoods
from .belief import Belief as Belief
from .dealt import DealtWorlds as DealtWorlds, Orders as Orders
from .fallible import fallible_moves as fallible_moves, fallible_values as fallible_values
from .guaranteed import Guaranteed as Guaranteed, Plan as Plan, bracket_moves as bracket_moves
from .match import Match as Match
from .objective import Kind as Kind, Objective as Objective, Style as Style
from .open_tables import Tables as Tables, make_tables as make_tables
from .open_values import (
    OpenValues as OpenValues,
    margin_payoff as margin_payoff,
    payoff_of as payoff_of,
    value_moves as value_moves,
    values_of as values_of,
    worst_mean as worst_mean,
)
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
from .prior import Deck as Deck, Decks as Decks, Levels as Levels, Pool as Pool
from .racing import contenders as contenders
from .response import Response as Response, respond as respond
from .results import Results as Results
from .trust import trusted as trusted
from .unknown import unknown_computer as unknown_computer
from .view import View as View
from .world import World as World, state_in as state_in
from .worlds import Combinations as Combinations, Shuffle as Shuffle, Worlds as Worlds

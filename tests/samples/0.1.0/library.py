"""The library examples of version 0.1.0's README, as they stood there.

But for the words of a message, which may change; what it tells of may not.
"""

import pathlib
import tempfile

from engine.cards import default_catalogue
from engine.deal import Deal
from engine.document import state_from_dict
from engine.notation import format_state, parse_hands, parse_rules, parse_state
from engine.retrograde import LAST_PLY
from engine.solve import Solver
from engine.state import Move, State

from engine.errors import StateError
from precompute.crew import LocalCrew
from precompute.job import Job
from precompute.plan import plan_roots
from precompute.watch import JobWatch
from store.generations import Folder
from store.oracle import Oracle
from store.reader import Reader

cards = default_catalogue()
hand_a, hand_b = parse_hands("Squall,Rinoa,Zell,Irvine,Quistis:1,2,3,4,5", cards)
state = State.start(Deal.of(hand_a, hand_b, rules=parse_rules("same,plus")))
assert len(state.legal_moves()) == 45
state = state.play(Move(card_id=110, cell=4))
assert (state.to_move.name, state.ply, state.margin) == ("B", 1, 1)
assert format_state(state) == "tc-sp_4.110A.4_104.105.106.107_1.2.3.4.5_B"
state = parse_state("ff8-esp_31A.1.10B.14A.6B.96B.2.L_7.99_34.73.86_B", cards)
solver = Solver()
solution = solver.solve(state)
assert (solution.value, solution.margin) == (1, -4)
assert (solution.best_move, solution.depth) == (Move(card_id=34, cell=1), 4)
assert repr(solver.rank(state)[0]) == (
    "RankedMove(move=Move(card_id=34, cell=1), value=1, margin=-4)"
)
folder = pathlib.Path(tempfile.mkdtemp())
job = Job(Folder(folder), cards, LocalCrew(threads=1, memory=1000))
with JobWatch(lambda text: None) as watch:
    report = job.run(plan_roots([state], LAST_PLY, cards), resume=False, watch=watch)
assert report.states == 317
oracle = Oracle(Reader(folder, cards))
answer = oracle.answer(state, moves=True)
assert (answer.source, answer.solution.margin) == ("database", -4)
assert answer.solution.line == solution.line
try:
    state_from_dict({"board": [], "hands": {"A": [1], "B": []}, "to_move": "C"}, cards)
except StateError as error:
    assert error.problems[1] == ("to_move", "C", "A or B")
print("all as it was")

from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given

from engine.game.cards import Catalogue
from engine.game.state import State
from engine.game.zobrist import (
    HALF_BITS,
    hash_text,
    make_tokens,
    state_hash,
    write_hash,
)
from engine.text.document import state_from_dict
from tests import vectors
from tests.strategies import free_states


def naive_hash(state: State) -> int:
    """Return the hash by the letter of its definition."""
    rules = state.rules
    digits = "".join("01"[on] for on in (rules.elemental, rules.same, rules.plus, rules.same_wall))
    facts = [f"rules {rules.variant.value} {digits}", f"move {state.to_move.name}"]
    for cell, placed in enumerate(state.board):
        facts += [f"board {cell} {placed.owner.name} {placed.card.id}"] if placed else []
    for cell, element in enumerate(state.elements):
        facts += [f"element {cell} {element.value}"] if element else []
    for owner, hand in zip("AB", state.hands, strict=True):
        ids = [card.id for card in hand]
        for card in set(ids):
            facts += [f"hand {owner} {card} {n + 1}" for n in range(ids.count(card))]
    result = 0
    for fact in facts:
        digest = hashlib.blake2b(f"triadbase-zobrist-1 {fact}".encode(), digest_size=16)
        result ^= int.from_bytes(digest.digest(), "big")
    return result


def test_hash_vectors(catalogue: Catalogue) -> None:
    rows = vectors.load("hashes")
    assert len(rows) == 40
    for row in rows:
        state = state_from_dict(row["state"], catalogue)
        assert hash_text(state_hash(state)) == row["state_hash"]


@given(free_states())
def test_hash_equals_definition(state: State) -> None:
    assert state_hash(state) == naive_hash(state)


@given(free_states())
def test_kernel_hash_equals_state_hash(state: State) -> None:
    halves = np.empty(2, dtype=np.uint64)
    write_hash(make_tokens(state.deal), state.code, state.ply & 1, halves)
    assert int(halves[0]) << HALF_BITS | int(halves[1]) == state_hash(state)


def test_distinct_states_have_distinct_hashes(catalogue: Catalogue) -> None:
    """Elements and equal cards are in the hash, which they are not in another program."""
    states_ = {
        state_from_dict(vector["state"], catalogue)
        for name in ("eval", "eval_odd", "apply")
        for vector in vectors.load(name)
    }
    assert len({state_hash(state) for state in states_}) == len(states_)

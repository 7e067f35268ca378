from __future__ import annotations

import numpy as np
import pytest
import zstandard
from hypothesis import given, strategies as st

from engine.errors import DamagedError
from engine.game.cards import default_catalogue
from engine.game.deal import Deal
from engine.game.state import State
from engine.tablebase.blocks import Run
from store.format import (
    as_key,
    block_content,
    block_from,
    block_key,
    directory_key,
    root_key,
    seal,
    unseal,
)
from tests import strategies
from tests.databases import exchanged

KEY = bytes(range(16))
RUN = Run(5, 0, 20, 8)


@given(st.binary(max_size=500), st.sampled_from([3, 15]))
def test_sealed_content_comes_back(content: bytes, level: int) -> None:
    assert unseal(KEY, seal(KEY, content, level)) == content


@given(st.binary(min_size=1, max_size=200), st.data())
def test_no_changed_byte_goes_unnoticed(content: bytes, data: st.DataObject) -> None:
    frame = bytearray(seal(KEY, content))
    place = data.draw(st.integers(0, len(frame) - 1))
    frame[place] ^= data.draw(st.integers(1, 255))
    try:
        assert unseal(KEY, bytes(frame)) == content  # a bit that means nothing, if any
    except DamagedError:
        pass


@given(st.binary(max_size=200), st.data())
def test_cut_value_is_damaged(content: bytes, data: st.DataObject) -> None:
    frame = seal(KEY, content)
    with pytest.raises(DamagedError):
        unseal(KEY, frame[: data.draw(st.integers(0, len(frame) - 1))])


def test_value_under_another_key_is_damaged() -> None:
    with pytest.raises(DamagedError, match="belongs to another key"):
        unseal(KEY[::-1], seal(KEY, b"content"))


def test_value_that_claims_too_much_is_damaged() -> None:
    frame = zstandard.ZstdCompressor().compress(bytes(1 << 20))
    with pytest.raises(DamagedError):
        unseal(KEY, frame)
    with pytest.raises(DamagedError, match="claims"):
        unseal(KEY, zstandard.ZstdCompressor().compress(b""))


def test_block_comes_back() -> None:
    counts = np.array([3, 0, 2], dtype=np.uint16)
    nibbles = np.array([0x21, 0x43, 0x05], dtype=np.uint8)
    packed = block_from(RUN, block_content(counts, nibbles))
    assert packed.offsets.tolist() == [0, 3, 3, 5]
    assert packed.nibbles.tolist() == nibbles.tolist()


@pytest.mark.parametrize("content", [b"", bytes(5), bytes(7), b"\x03" + bytes(6)])
def test_block_of_the_wrong_length_is_damaged(content: bytes) -> None:
    with pytest.raises(DamagedError):
        block_from(RUN, content)


@given(strategies.states(max_ply=8))
def test_keys_are_seen_from_the_starter(state: State) -> None:
    assert root_key(exchanged(state)) == root_key(state)
    assert directory_key(exchanged(state)) == directory_key(state)


@given(*[strategies.states(max_ply=8, catalogue=default_catalogue())] * 2)
def test_different_roots_have_different_keys(one: State, other: State) -> None:
    assert (root_key(one) == root_key(other)) == (one.seated == other.seated)


@given(strategies.deals(), st.data())
def test_directory_key_stays_the_same_throughout_a_game(deal: Deal, data: st.DataObject) -> None:
    state = State.start(deal)
    expected = directory_key(state)
    while not state.is_over:
        state = state.play(data.draw(st.sampled_from(state.legal_moves())))
        assert directory_key(state) == expected


def test_block_keys_differ_by_ply_and_number() -> None:
    keys = {block_key(7, Run(ply, first, first + 1, 8)) for ply in range(9) for first in (0, 32768)}
    assert len(keys) == 18
    assert all(len(as_key(key)) == 16 for key in keys)

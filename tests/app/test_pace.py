"""How much of a batch is answered before others are heard."""

from __future__ import annotations

from hypothesis import given, strategies as st

from app.pace import FEWEST, MOST, STRETCH_SECONDS, Pace

LONGEST = 1000  # bytes


@given(
    items=st.lists(st.binary(max_size=2 * LONGEST), min_size=1, max_size=2 * MOST),
    before=st.lists(st.floats(0, 10), max_size=3),
)
def test_stretch_is_the_beginning_and_not_longer_than_one_state_may_be(
    items: list[bytes], before: list[float]
) -> None:
    pace = Pace(LONGEST)
    for seconds in before:
        pace.note(MOST, seconds)
    stretch = pace.stretch(items)
    assert FEWEST <= len(stretch) <= MOST
    assert stretch == items[: len(stretch)]
    assert len(stretch) == 1 or sum(map(len, stretch)) <= LONGEST


def test_stretches_get_shorter_when_they_take_long_and_longer_again() -> None:
    pace, items = Pace(LONGEST), [b"{}"] * 2 * MOST
    pace.note(10, 100 * STRETCH_SECONDS)
    assert len(pace.stretch(items)) == FEWEST
    pace.note(1, STRETCH_SECONDS / 8)
    assert len(pace.stretch(items)) == 8
    pace.note(8, 0.0)
    assert len(pace.stretch(items)) == MOST

"""Styles as players: they play what they advise, from what they see."""

from __future__ import annotations

import pytest

from advise import View, World, state_in
from advise.belief import Belief
from advise.match import Match
from advise.opponents import parse_opponent, parse_player, parse_seat
from advise.prior import Levels
from advise.styles import StylePlayer
from advise.table import TableTurn
from engine.errors import OpponentError
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.rules import Rules, Variant
from engine.game.state import State
from tests.advise.closed import ALL_RULES, closed_at
from tests.conftest import IS_JIT_OFF

CLOSED = Rules(variant=Variant.FF8)


def test_names_are_texts_that_are_read_again() -> None:
    for text in ("optimal", "robust:levels=1.2,worlds=20"):
        player = parse_player(text)
        assert str(player) == text
        assert parse_seat(text) == player
        assert not player.needs_open
    with pytest.raises(OpponentError):
        parse_opponent("optimal")
    with pytest.raises(OpponentError, match="levels"):
        parse_player("optimal:levels=9")


@pytest.mark.skipif(IS_JIT_OFF, reason="whole games")
def test_match_has_forecasts_of_what_is_secured() -> None:
    dealer = Dealer(default_catalogue(), 3, CLOSED)
    players = parse_player("optimal:levels=1-2"), parse_player("ff8:search=0,levels=1-2")
    match = Match(dealer, *players, from_ply=5, forecast_ply=5)
    pair = match.play(0)
    assert pair == match.play(0)
    assert all(0 <= each.expected <= 1 for game in pair.games for each in game.forecasts)
    assert any(each.is_first for game in pair.games for each in game.forecasts)


def test_choice_is_the_advice_and_no_function_of_the_hidden_hand() -> None:
    closed = closed_at(5, 6, ALL_RULES, 8)
    player = parse_player("optimal:levels=1-2")
    assert isinstance(player, StylePlayer)
    chosen = player.advice(closed.view).best_move
    moves = set()
    for number in range(3):
        state = _state(closed.view, number)
        slots = dict(zip(state.deal.players, state.deal.hands, strict=True))
        moves.add(player.choose(TableTurn(state, slots, 0, 0)))
    assert moves == {chosen}


def _state(view: View, number: int) -> State:
    """Return one of the states that a view may be of."""
    worlds = Belief.of(view, Levels.of([1, 2])).everything()
    places = worlds.members[number].tolist()
    return state_in(view, World.of([worlds.pool[place] for place in places]))

"""Matches: paired deals, the same games for the same seed, and who may sit down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advise.match import Match, check_plies
from advise.opponents import (
    ComputerModel,
    ComputerPlayer,
    Greedy,
    Humanlike,
    Mixture,
    Perfect,
    Random,
    Tremble,
    parse_opponent,
)
from advise.results import Results
from advise.table import TablePlayer, TableTurn, drawn, slots_of
from app.terminal.match import match_object, match_text, play_match
from engine.errors import OpponentError
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer, game_random
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.state import State

OPEN = Rules(same=True, variant=Variant.FF8, open=True)
DEALER = Dealer(default_catalogue(), 7, OPEN)
CLOSED = replace(DEALER, rules=OPEN._replace(open=False))
LEVELS = parse_opponent("ff8:search=1,levels=1-2,rares=110,rare_chance=50")
LATE = 6  # so that solvers have little to do with the JIT off


@pytest.mark.parametrize(
    ("first", "second"),
    [(Random(), Greedy()), (LEVELS, Random()), (Tremble(0.5), Humanlike(40)), (LEVELS, LEVELS)],
    ids=str,
)
def test_naming_players_the_other_way_round_mirrors_the_result(
    first: TablePlayer, second: TablePlayer
) -> None:
    match = Match(DEALER, first, second, from_ply=LATE)
    mirror = Match(DEALER, second, first, from_ply=LATE)
    for number in range(4):
        one, other = match.play(number).games, mirror.play(number).games
        for game, mirrored in zip(one, reversed(other), strict=True):
            assert game.points == 1 - mirrored.points
            assert game.score == -mirrored.score
            assert game.moves == mirrored.moves


def test_same_seed_gives_the_same_game_and_another_another() -> None:
    match = Match(DEALER, Random(), Humanlike(30), from_ply=3)
    assert match.play(3) == match.play(3)
    other = replace(match, dealer=replace(DEALER, seed=8))
    assert other.play(3) != match.play(3)
    assert match.play(4) != match.play(3)


def test_both_games_of_a_deal_have_the_same_hands_and_random_opening() -> None:
    first, second = Match(DEALER, Greedy(), Random(), from_ply=4).play(0).games
    assert first.moves[:4] == second.moves[:4]
    assert len(first.moves) == len(second.moves) == 9


def test_player_against_itself_is_even() -> None:
    results = play_match(Match(DEALER, Greedy(), Greedy()), range(20), 1)
    assert results.points.mean == 0.5
    assert results.difference.mean == 0
    assert results.wins == results.losses


def test_results_add_up() -> None:
    results = play_match(Match(DEALER, Greedy(), Random()), range(30), 1)
    assert results.games == 60 == results.wins + results.draws + results.losses
    points = (results.wins + results.draws / 2) / results.games
    assert results.points.mean == pytest.approx(points)
    assert results.difference.mean == pytest.approx(2 * points - 1)


def test_results_are_the_same_for_any_number_of_threads() -> None:
    match = Match(DEALER, Greedy(), Tremble(0.5), from_ply=5, forecast_ply=5)
    found = [match_object(match, play_match(match, range(13), threads)) for threads in (1, 2, 3)]
    assert found[0] == found[1] == found[2]
    texts = [match_text(match, play_match(match, range(13), threads)) for threads in (1, 3)]
    assert texts[0] == texts[1]


def test_forecast_of_perfect_play_against_itself_comes_true() -> None:
    match = Match(DEALER, Perfect(), Perfect(), from_ply=LATE, forecast_ply=LATE)
    results = play_match(match, range(12), 1)
    assert len(results.forecasts(is_first=True)) == results.games
    for is_first in (True, False):
        for each in results.calibration(is_first=is_first):
            assert each.forecast == each.result
            assert each.games > 0
    assert "forecasts of a: perfect:" in match_text(match, results)


def test_player_without_a_forecast_has_none() -> None:
    match = Match(DEALER, Greedy(), Random(), forecast_ply=0)
    results = play_match(match, range(2), 1)
    assert results.calibration(is_first=True) == []
    assert "forecasts of a: greedy: none" in match_text(match, results)
    assert match_object(match, results)["calibration"] == {"a": [], "b": []}


def test_humanlike_is_refused_while_hands_are_hidden() -> None:
    with pytest.raises(OpponentError, match="humanlike:60"):
        Match(CLOSED, Greedy(), Humanlike(60))


@pytest.mark.parametrize("plies", [(-1, None), (9, None), (0, 9), (0, -1)])
def test_plies_without_a_move_are_refused(plies: tuple[int, int | None]) -> None:
    with pytest.raises(OpponentError, match="0 to 8"):
        check_plies(*plies)


class Peeping(Greedy):
    """Looks at what its turn shows of the other hand."""

    seen: list[tuple[int, int]]

    def choose(self, turn: TableTurn) -> Move:
        self.seen.append((turn.own_view.unseen, len(turn.own_view.known)))
        assert turn.view.unseen == (0 if turn.state.rules.open else len(turn.world.unseen))
        return super().choose(turn)


@pytest.mark.parametrize("dealer", [DEALER, CLOSED], ids=["open", "closed"])
def test_view_at_the_table_hides_the_other_hand_unless_it_is_open(dealer: Dealer) -> None:
    player = Peeping()
    object.__setattr__(player, "seen", [])
    Match(dealer, player, Random()).play(0)
    assert len(player.seen) == 9
    for unseen, known in player.seen:
        assert (unseen == 0) == dealer.rules.open
        assert (known == 0) != dealer.rules.open


def test_computer_player_sees_more_in_an_open_game() -> None:
    computer = ComputerModel(ComputerPlayer(search=3))
    state = State.start(CLOSED.deal(0))
    moves = set()
    for number in range(12):
        slots = slots_of(state.deal)
        moves.add(computer.choose(TableTurn(state, slots, 1, number)))
    assert len(moves) > 1  # its guesses differ
    opened = State.start(DEALER.deal(0))
    moves = {computer.choose(TableTurn(opened, slots, 1, number)) for number in range(12)}
    assert len(moves) == 1


def test_mixture_takes_a_seat() -> None:
    mixture = Mixture((Random(), Greedy()), (1, 1))
    match = Match(DEALER, mixture, Random(), from_ply=5)
    assert match.play(0) == match.play(0)


def test_draw_follows_the_probabilities() -> None:
    moves = [Move(1, cell) for cell in range(3)]
    replies = dict(zip(moves, (0.2, 0.3, 0.5), strict=True))
    random = game_random(0, 0, 0)
    counts = dict.fromkeys(moves, 0)
    for _ in range(2_000):
        counts[drawn(replies, random)] += 1
    for move, chance in replies.items():
        assert counts[move] == pytest.approx(2_000 * chance, abs=90)  # four standard deviations


def test_results_of_nothing_are_nothing() -> None:
    assert Results([]).as_dict()["games"] == 0

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from numpy.random import Generator, Philox, SeedSequence

from engine.errors import DealError
from engine.game.cards import Catalogue, load_cards
from engine.game.deal import NO_ELEMENTS, Player
from engine.game.dealing import Dealer, ElementSource, game_random
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.game.strategy import Strategy
from engine.text.notation import format_state, parse_layout

FF8 = Rules(elemental=True, variant=Variant.FF8)


def test_deals_are_fixed_for_ever(catalogue: Catalogue) -> None:
    """These texts must never change: exports and databases are named by seed and number."""
    dealer = Dealer(catalogue, 7, FF8, elements=ElementSource.FF8)
    texts = [format_state(State.start(dealer.deal(number))) for number in range(2)]
    assert texts == [
        "ff8-e_2.E.T.H.T.3_14.29.47.51.106_15.34.56.100.103_B",
        "ff8-e_2.W.1.W.4_25.44.53.92.110_36.44.58.85.102_B",
    ]


def test_same_seed_and_number_give_the_same_deal(catalogue: Catalogue) -> None:
    options: dict[str, Any] = {"rules": FF8, "elements": ElementSource.RANDOM}
    assert Dealer(catalogue, 5, **options).deal(3) == Dealer(catalogue, 5, **options).deal(3)
    distinct = {
        Dealer(catalogue, seed, **options).deal(number) for seed in range(5) for number in range(5)
    }
    assert len(distinct) == 25


def test_wishes_do_not_change_what_else_is_drawn(catalogue: Catalogue) -> None:
    plain = Dealer(catalogue, 1, FF8).deal(4)
    for first in Player:
        for elements in (*ElementSource, parse_layout("F,-,-,-,-,-,-,-,-")):
            deal = Dealer(catalogue, 1, FF8, elements=elements, first=first).deal(4)
            assert deal.hands == plain.hands
            assert deal.first == first
    given = Dealer(catalogue, 1, FF8, elements=parse_layout("F,-,-,-,-,-,-,-,-")).deal(4)
    assert given.first == plain.first
    assert given.elements == parse_layout("F,-,-,-,-,-,-,-,-")


def test_stratified_hands_have_a_card_of_each_pair_of_levels(catalogue: Catalogue) -> None:
    dealer = Dealer(catalogue, 2, FF8, Strategy.STRATIFIED)
    for number in range(200):
        for hand in dealer.deal(number).hands:
            assert sorted((card.level - 1) // 2 for card in hand) == [0, 1, 2, 3, 4]


def test_unique_cards_are_never_in_both_hands_under_ff8(catalogue: Catalogue) -> None:
    shared: Counter[bool] = Counter()
    for number in range(2_000):
        hand_a, hand_b = Dealer(catalogue, 0, FF8).deal(number).hands
        assert len(set(hand_a)) == len(set(hand_b)) == 5
        shared.update(card.is_unique for card in set(hand_a) & set(hand_b))
    assert shared[True] == 0
    assert shared[False] > 0


def test_element_frequencies_are_as_documented(catalogue: Catalogue) -> None:
    for source, share in ((ElementSource.RANDOM, 8 / 9), (ElementSource.FF8, 0.3)):
        counts: Counter[Any] = Counter()
        for number in range(2_000):
            counts.update(Dealer(catalogue, 0, FF8, elements=source).deal(number).elements)
        cells = counts.total()
        none = counts.pop(None)
        assert abs(1 - none / cells - share) < 0.015
        assert len(counts) == 8
        assert max(counts.values()) < 1.15 * min(counts.values())


def test_starter_is_drawn_fairly(catalogue: Catalogue) -> None:
    starts = Counter(Dealer(catalogue, 0).deal(number).first for number in range(2_000))
    assert abs(starts[Player.A] - 1_000) < 100


def test_elements_stay_away_when_elemental_is_off(catalogue: Catalogue) -> None:
    assert Dealer(catalogue, 0, elements=ElementSource.RANDOM).deal(0).elements == NO_ELEMENTS


def test_draws_of_games_and_turns_do_not_coincide() -> None:
    """The seeds of (game 0, turn 1) and (game 1, turn 0) coincide in another program."""
    firsts = {game_random(0, game, turn).random() for game in range(20) for turn in range(10)}
    assert len(firsts) == 200


def test_draws_of_the_first_turn_are_not_those_of_the_deal() -> None:
    of_deal = Generator(Philox(SeedSequence([3, 4]))).random(100)
    assert not set(of_deal) & set(game_random(3, 4, 0).random(100))


@pytest.mark.parametrize(("seed", "number"), [(-1, 0), (2**64, 0), (0, -1), (0, 2**64)])
def test_seed_and_number_out_of_range_are_refused(
    seed: int, number: int, catalogue: Catalogue
) -> None:
    with pytest.raises(DealError, match="allowed: 0 to 18446744073709551615"):
        Dealer(catalogue, seed).deal(number)


def test_given_hands_need_no_cards_to_draw_from(catalogue: Catalogue) -> None:
    few = Catalogue(tuple(catalogue)[:4])
    hand = [few[1], few[1], few[2], few[3], few[4]]
    deal = Dealer(few, 3, FF8, elements=ElementSource.FF8).deal(0, (hand, hand))
    assert deal.hands == (tuple(hand), tuple(hand))
    assert deal == Dealer(few, 3, FF8, elements=ElementSource.FF8).deal(0, (hand, hand))


def test_card_file_without_some_levels_cannot_be_stratified(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    path = tmp_path / "cards.json"
    path.write_text(json.dumps([c.as_dict() for c in catalogue if c.level < 9]))
    with pytest.raises(DealError, match='strategy: found "stratified"'):
        Dealer(load_cards(path), strategy=Strategy.STRATIFIED).deal(0)


def test_card_file_with_too_few_unique_cards_is_refused(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    path = tmp_path / "cards.json"
    path.write_text(json.dumps([c.as_dict() for c in list(catalogue)[-5:]]))
    with pytest.raises(DealError, match="cards: found 5; allowed: enough cards for two hands"):
        Dealer(load_cards(path), rules=FF8).deal(0)

"""Advice as it is written: six decimals, and the hash of what is seen."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET

from advise.advice import Advice, MoveAdvice, PlannedReply, Worth
from advise.belief import Belief
from advise.statistics import Interval
from advise.view import View
from app.advice_objects import (
    AdviceObject,
    AdvisedMove,
    CardChanceObject,
    ChosenMove,
    PlannedObject,
    ValueObject,
    WorldsObject,
)
from engine.game.deal import Player
from engine.game.facts import NO_CARD, Facts
from engine.game.moves import Move
from engine.game.zobrist import hash_of, hash_text, token
from engine.text.objects import MoveObject
from engine.text.wire import variant_name

DECIMALS = 6


def advice_object(advice: Advice, belief: Belief) -> AdviceObject:
    """Return advice as it is written."""
    best, view = advice.best, advice.view
    worlds = advice.worlds
    return AdviceObject(
        best_move=MoveObject(*advice.best_move),
        style=advice.style.value,
        method="guaranteed" if advice.method == "guaranteed" else "open",
        assumes=list(advice.assumes),
        worlds=WorldsObject(
            worlds.total, worlds.evaluated, rounded(worlds.effective), worlds.is_exact
        ),
        value=_value(advice.value),
        guaranteed=_bounds(best.guaranteed) if best.guaranteed else None,
        separated=advice.is_separated,
        moves=[_move(each) for each in advice.moves],
        cards=[CardChanceObject(each.card.id, rounded(each.chance)) for each in advice.cards],
        validated=advice.is_validated,
        complete=advice.is_complete,
        variant=variant_name(view.rules),
        view_hash=hash_text(view_hash(view, belief)),
        plan=UNSET if advice.plan is None else [_planned(each) for each in advice.plan],
        kept=UNSET if advice.kept is None else _chosen(advice.kept),
    )


def rounded(number: float) -> float:
    """Return a number with six decimals; never -0."""
    return round(float(number), DECIMALS) + 0.0


def view_hash(view: View, belief: Belief) -> int:
    """Return the hash of what is seen: that of a state, of the part of it that is known."""
    hands: dict[Player, tuple[int, ...]] = {
        view.viewer: tuple(card.id for card in view.hand),
        view.opponent: tuple(card.id for card in view.known),
    }
    owners = sum(placed.owner << cell for cell, placed in enumerate(view.board) if placed)
    seen = Facts(
        view.rules,
        view.elements,
        tuple(placed.card.id if placed else NO_CARD for placed in view.board),
        owners,
        (hands[Player.A], hands[Player.B]),
        view.to_move,
        view.ply,
        (),
    )
    value = hash_of(seen)
    if view.unseen:
        value ^= token(f"unseen {view.opponent.name} {view.unseen}")
        digest = belief.prior.digest if belief.prior else ""
        value ^= token(f"prior {digest}")
    return value


def _bounds(interval: Interval) -> tuple[float, float]:
    return rounded(interval.low), rounded(interval.high)


def _value(worth: Worth) -> ValueObject:
    win, draw, loss, points, margin = (rounded(number) for number in worth[:-1])
    return ValueObject(win, draw, loss, points, margin, _bounds(worth.interval))


def _move(each: MoveAdvice) -> AdvisedMove:
    value = _value(each.worth)
    return AdvisedMove(
        *each.move,
        value.win,
        value.draw,
        value.loss,
        value.points,
        value.margin,
        value.interval,
        rounded(each.behind),
        _bounds(each.behind_interval),
        _bounds(each.guaranteed) if each.guaranteed else None,
        rounded(each.worst_quarter),
        1 if each.worst > 0 else -1 if each.worst < 0 else 0,
        None if each.fallible is None else rounded(each.fallible),
        list(each.captures),
    )


def _planned(each: PlannedReply) -> PlannedObject:
    return PlannedObject(MoveObject(*each.reply), _chosen(each.moves))


def _chosen(moves: Mapping[Move, float]) -> list[ChosenMove]:
    likely = sorted(moves.items(), key=lambda item: (-round(item[1], DECIMALS), item[0]))
    return [ChosenMove(*move, rounded(chance)) for move, chance in likely]

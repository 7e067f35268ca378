"""Advice as text: a table of moves, and what it assumes."""

from __future__ import annotations

from collections.abc import Iterator

from advise.advice import GUARANTEED, Advice, MoveAdvice
from engine.errors import counted
from engine.game.cards import Catalogue

KINDS = {
    GUARANTEED: "at least, whatever it does",
    "open": "if both saw all hands",
}


def advice_text(advice: Advice, catalogue: Catalogue) -> str:
    """Return advice for people; the last line says what it assumes."""
    return "\n".join(_lines(advice, catalogue))


def _lines(advice: Advice, catalogue: Catalogue) -> Iterator[str]:
    worlds = advice.worlds
    seen = "all" if worlds.is_exact else f"{worlds.evaluated:,} of"
    best = advice.best_move
    yield f"{catalogue[best.card_id].name} ({best.card_id}) on cell {best.cell}"
    exact = "exact" if worlds.is_exact else "95 % intervals"
    yield f"{seen} {counted(worlds.total, 'world')}, {exact}; method: {advice.method}"
    if not advice.is_separated:
        yield "other moves may be as good"
    yield ""
    yield "card  cell   points  interval        kind                        guaranteed      behind"
    for each in advice.moves:
        yield _row(each)
    yield ""
    yield f"assumes: {'; '.join(advice.assumes)}"


def _row(each: MoveAdvice) -> str:
    low, high = each.worth.interval
    secured = f"{each.guaranteed.low:.3f}..{each.guaranteed.high:.3f}" if each.guaranteed else "-"
    return (
        f"{each.move.card_id:4}  {each.move.cell:4}  {each.worth.points:7.3f}  "
        f"{low:.3f}..{high:.3f}    {KINDS['open']:26}  {secured:14}  {each.behind:.3f}"
    )

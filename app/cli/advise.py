"""`triad advise`: what to play when the opponent's hand is hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from advise.adviser import Adviser
from app.advice import answers
from app.advice_request import asked_in
from app.terminal.advise import advice_text
from console.options import DEFAULT_CARDS, CardsOption, JsonOption, SeedOption
from engine.errors import NotationError, Words
from engine.game.cards import Catalogue, load_cards
from engine.game.moves import Move
from engine.text.document import load_json
from engine.text.hidden import parse_view
from work.machine import count_cores

StateArgument = Annotated[
    str | None,
    typer.Argument(help="What is seen, in notation: unseen cards are x3, after known ones 22.x2."),
]
NumbersOption = Annotated[str | None, typer.Option(help="Card ids joined by commas.")]


def advise(  # noqa: PLR0913  one parameter for each option
    *,
    notation: StateArgument = None,
    state: Annotated[str | None, typer.Option(help="What is seen, as JSON: @FILE.")] = None,
    hand: Annotated[str | None, typer.Option(help="Your hand, instead of the state's.")] = None,
    unseen: Annotated[int | None, typer.Option(help="Cards of the opponent's unseen.")] = None,
    known: NumbersOption = None,
    played: Annotated[str | None, typer.Option(help="Cards the opponent has played.")] = None,
    levels: Annotated[
        str | None, typer.Option(help="Levels the opponent is dealt from: 1,2.")
    ] = None,
    pool: Annotated[str | None, typer.Option(help="Cards the opponent may hold.")] = None,
    rares: Annotated[str | None, typer.Option(help="Rare cards, with --levels.")] = None,
    rare_chance: Annotated[int | None, typer.Option(help="Of the first rare, percent.")] = None,
    history: Annotated[
        str | None, typer.Option(help="Moves so far, CARD-CELL joined by commas: 7-0,19-4.")
    ] = None,
    style: Annotated[str, typer.Option(help="optimal, robust or humanlike.")] = "optimal",
    objective: Annotated[str, typer.Option(help="points, win, not_lose or margin.")] = "points",
    strength: Annotated[float | None, typer.Option(help="Of humanlike, 0 to 100.")] = None,
    worlds: Annotated[
        int | None, typer.Option(help="Worlds to look at.", show_default="by ply")
    ] = None,
    seed: SeedOption = 0,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads.", show_default="one per core")
    ] = None,
    as_json: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Say what to play when the opponent's hand is hidden.

    Example: triad advise ff8_9_34.56.78.8.9_x5_A --levels 1,2
    """
    catalogue = load_cards(cards)
    document = _document(notation, state, catalogue)
    _fill_hands(document, hand, unseen, known, played)
    _fill_prior(document, levels, pool, rares, rare_chance)
    request: dict[str, Any] = {"state": document, "style": style, "seed": seed}
    request["objective"] = {"kind": objective}
    for name, given in (("worlds", worlds), ("strength", strength)):
        if given is not None:
            request[name] = given
    if history:
        request["history"] = [move._asdict() for move in _moves(history)]
    asked = asked_in(request, catalogue)
    adviser = Adviser(threads=threads or count_cores())
    if as_json:
        (line,) = answers(asked, adviser, catalogue, is_stream=False)
        typer.echo(line.decode())
    else:
        typer.echo(advice_text(adviser.last(asked.view, asked.belief, asked.wish), catalogue))


def _document(notation: str | None, state: str | None, catalogue: Catalogue) -> dict[str, Any]:
    """Return the state as a request has it."""
    if (notation is None) == (state is None):
        raise NotationError.of("state", notation or state, "a notation, or --state @FILE")
    if notation is not None:
        return parse_view(notation, catalogue)
    assert state is not None
    data = Path(state[1:]).read_bytes() if state.startswith("@") else state.encode()
    found = load_json(data)
    if not isinstance(found, dict):
        raise NotationError.of("--state", found, "a state as a JSON object")
    return found


def _fill_hands(
    document: dict[str, Any],
    hand: str | None,
    unseen: int | None,
    known: str | None,
    played: str | None,
) -> None:
    """Put what options say of hands into the state."""
    mover = document.get("to_move")
    other = "B" if mover == "A" else "A"
    hands = document.setdefault("hands", {})
    if hand is not None and isinstance(mover, str):
        hands[mover] = _ids("--hand", hand)
    given = {"unseen": unseen, "known": known and _ids("--known", known)}
    given["played"] = played and _ids("--played", played)
    said = {name: value for name, value in given.items() if value is not None}
    if said:
        hidden = hands.get(other)
        hands[other] = {**(hidden if isinstance(hidden, dict) else {}), **said}


def _fill_prior(
    document: dict[str, Any],
    levels: str | None,
    pool: str | None,
    rares: str | None,
    rare_chance: int | None,
) -> None:
    """Put what options say of the prior into the hidden hand."""
    lists = {"levels": levels, "pool": pool, "rares": rares}
    prior: dict[str, Any] = {
        name: _ids(f"--{name}", text) for name, text in lists.items() if text is not None
    }
    if rare_chance is not None:
        prior["rare_chance"] = rare_chance
    if not prior:
        return
    for hand in document.get("hands", {}).values():
        if isinstance(hand, dict):
            hand["from"] = prior
            return
    raise NotationError.of("hands", Words("no hidden hand"), "a hand with unseen cards: --unseen 3")


def _ids(option: str, text: str) -> list[int]:
    pieces = [piece.strip() for piece in text.split(",")]
    if not all(piece.isascii() and piece.isdigit() for piece in pieces):
        raise NotationError.of(option, text, "whole numbers joined by commas")
    return [int(piece) for piece in pieces]


def _moves(text: str) -> list[Move]:
    moves = []
    for piece in text.split(","):
        card, _, cell = piece.strip().partition("-")
        if not (card.isascii() and card.isdigit() and cell.isascii() and cell.isdigit()):
            raise NotationError.of("--history", piece, "CARD-CELL, such as 7-0")
        moves.append(Move(int(card), int(cell)))
    return moves

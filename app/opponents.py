"""Opponents over HTTP: what they play, and what they are dealt."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace

from advise.computer import ComputerModel
from advise.opponents import parse_opponent
from advise.table import drawn
from advise.view import View
from advise.world import World
from app import opponent_schemas as schemas
from app.opponent_kinds import ALLOWED
from app.opponent_reading import (
    generator,
    opponent_from,
    random_state,
    read_body,
    situation_from,
)
from engine.errors import OpponentError
from engine.game.cards import Catalogue
from engine.game.dealing import Dealer
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.players.computer import ComputerPlayer
from engine.players.dealing import Dealing, deal_hand
from engine.players.situation import Situation
from engine.text.document import state_from_dict

MOVE_FIELDS = ("state", "opponent", "dealt", "slots", "rng", "seed")
DEAL_FIELDS = ("levels", "rares", "rare_chance", "rng", "seed")
_WARM_PLY = 5


def moved(body: bytes, catalogue: Catalogue) -> schemas.OpponentMoveResponse:
    """Return what a model plays in a state."""
    found = read_body(body, MOVE_FIELDS, ("state", "opponent"))
    state = state_from_dict(found["state"], catalogue)
    opponent = opponent_from(found["opponent"], catalogue)
    situation = situation_from(found, state)
    rng = random_state(found)
    if isinstance(opponent, ComputerModel):
        return _decided(opponent.player, situation, rng, catalogue)
    if "rng" in found:
        raise OpponentError.of("rng", rng, f"seed, as {opponent.name} is not the computer player")
    replies = opponent.replies(*_world_of(situation, state, catalogue))
    move = drawn(replies, generator(found.get("seed", 0)))
    return schemas.OpponentMoveResponse(schemas.OpponentMoveObject(*move))


def _decided(
    player: ComputerPlayer, situation: Situation, rng: int, catalogue: Catalogue
) -> schemas.OpponentMoveResponse:
    """Return the computer player's move, and all it went by."""
    decision = player.decide(situation, rng, catalogue)
    return schemas.OpponentMoveResponse(
        schemas.OpponentMoveObject(*decision.move, decision.slot),
        decision.depth,
        None if decision.guess is None else list(decision.guess),
        decision.weighted,
        decision.raw,
        decision.placements,
        decision.rng,
        list(decision.root),
    )


def _world_of(situation: Situation, state: State, catalogue: Catalogue) -> tuple[World, View]:
    """Return what the other player does not see of a state, and what it sees."""
    view = View.seen_by(state, state.to_move.opponent)
    if situation.dealt is None:
        return World.true_in(state, view), view
    dealt = [catalogue[card] for card in situation.dealt]
    left = [catalogue[card] for card in situation.own if card]
    played = Counter(dealt) - Counter(left)
    if played.total() != len(dealt) - len(left) or played - Counter(view.placed):
        allowed = "five cards: those it holds, and the others on the board"
        raise OpponentError.of("dealt", [card.id for card in dealt], allowed)
    view = replace(view, played=tuple(sorted(played.elements())))
    return World.of_dealt(dealt, view), view


def dealt(body: bytes) -> schemas.OpponentDealResponse:
    """Return a hand as the game deals it."""
    found = read_body(body, DEAL_FIELDS, ())
    for name in ("levels", "rares"):
        if not isinstance(found.get(name, []), list):
            raise OpponentError.of(name, found[name], ALLOWED[name])
    dealing = Dealing.of(
        found.get("levels", ()), found.get("rares", ()), found.get("rare_chance", 0)
    )
    hand, rng = deal_hand(dealing, random_state(found))
    return schemas.OpponentDealResponse(list(hand), rng)


def warm_up(catalogue: Catalogue) -> None:
    """Run every kernel of the opponents once."""
    state = State.start(Dealer(catalogue, rules=Rules(variant=Variant.FF8)).deal(0))
    while state.ply < _WARM_PLY:
        state = state.play(state.legal_moves()[0])
    view = View.seen_by(state, state.to_move.opponent)
    for text in ("perfect", "softmax:1", "humanlike:50", "humanlike:strength=50,plies=1", "greedy"):
        parse_opponent(text).replies(World.true_in(state, view), view)
    deal_hand(Dealing.of(), 0)
    with suppress(OpponentError):  # of a card file with which it cannot play
        ComputerPlayer(search=3, sees_hand=True).decide(Situation.of(state), 0, catalogue)

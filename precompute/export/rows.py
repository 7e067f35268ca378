"""Rows: labelled states of one deal, as arrays. What every mode makes and every format takes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from engine.game.board import Codes
from engine.game.chances import Chances
from engine.game.deal import Deal
from engine.game.moves import ply_of
from engine.game.score import worths
from engine.game.zobrist import TokenArray, Tokens, make_tokens, write_hash
from engine.kernel import kernel

ONEHOT = np.zeros((0, 0), dtype=np.int32)  # the policy of rows whose best moves say it all


class Rows(NamedTuple):
    """Labelled states."""

    deal: Deal
    codes: Codes  # [n]
    best: Codes  # [n]: packed, or NO_MOVE when the game is over
    starter_cards: Codes  # [n]: at the end, under perfect play
    policy: Chances = ONEHOT  # [n, 45], by number of move in the documented order
    game_id: int = 0
    off_pv: bool = False


class Derived(NamedTuple):
    """What follows from the rows, for whoever writes them."""

    plies: Codes  # [n]
    hashes: TokenArray  # [n, 2]
    margins: Codes  # [n]: A's view
    values: Codes  # [n]: for the side to move


def derive(rows: Rows) -> Derived:
    """Return plies, hashes, margins and values of rows."""
    plies = np.empty_like(rows.codes)
    hashes = np.empty((len(plies), 2), dtype=np.uint64)
    write_plies_and_hashes(tokens_of(rows.deal), rows.codes, plies, hashes)
    deal = rows.deal
    worth = np.array(worths(deal.rules.variant, deal.first, ply=0), dtype=np.int64)
    values, margins = worth[rows.starter_cards].T
    return Derived(plies, hashes, margins, np.where(plies & 1, -values, values))


@lru_cache(maxsize=16)
def tokens_of(deal: Deal) -> Tokens:
    """Return a deal's tokens, made once for all its rows."""
    return make_tokens(deal)


@kernel
def write_plies_and_hashes(tokens: Tokens, codes: Codes, plies: Codes, hashes: TokenArray) -> None:
    """Write ply and hash of each state."""
    for number in range(len(codes)):
        code = int(codes[number])
        ply = ply_of(code)
        plies[number] = ply
        write_hash(tokens, code, ply & 1, hashes[number])

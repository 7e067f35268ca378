"""The computer player's search: minimax of a few plies, with a slip in its cut-off.

Two numbers go up from the leaves, raw and weighted. The player picks the greatest weighted, and
takes the other player to pick the smallest raw; the first found wins ties. The slip: each ply of
the search has one bound, which is kept from node to node whoever the parent is.
"""

from __future__ import annotations

from engine.game.board import ALL_CELLS, CELLS, HANDS
from engine.game.duels import PLUS, SAME
from engine.game.lanes import cells_of, lanes_towards
from engine.kernel import bit_count, drop_lowest, inline_kernel, kernel, lowest_bit
from engine.players.layout import (
    BEST_RAW,
    BEST_WEIGHTED,
    BOUNDS,
    CELL,
    CELL_VALUES,
    CELLS_LEFT,
    FOUND,
    FRAME_LENGTH,
    FRAMES,
    HAND_WEIGHT,
    HANDS_LEFT,
    HAS_VALUES,
    MINE,
    MOVES,
    NOISE_WEIGHT,
    OCCUPIED,
    PLACEMENTS,
    RANDOM,
    ROOT,
    ROOT_LENGTH,
    RULES,
    SAME_WEIGHT,
    SLOT,
    SLOT_VALUES,
    SLOTS_LEFT,
    TAKEN,
    TILE_WEIGHT,
    WORDS,
    Work,
)
from engine.players.placement import PLACE_OF, beaten, put, taken_by_special
from engine.players.stream import drawn, step
from engine.players.tables import GREATEST_DEPTH, ONE

BEYOND = 1 << 60  # every score
FIRED = 1 << CELLS  # beside a mask of cells: Same or Plus took one of them


@inline_kernel
def _is_own(ply: int) -> bool:
    """Tell whether the computer player moves at a ply of its search."""
    return ply & 1 == 0


@inline_kernel
def captured(work: Work, occupied: int, theirs: int, word: int, cell: int) -> int:
    """Return the mask of cells that a card takes from the empty `cell`, and perhaps FIRED."""
    opponents = lanes_towards(theirs, cell)
    facing = int(work[PLACE_OF[cell]])
    taken = beaten(word, facing, opponents)
    options = int(work[RULES])
    if options & (SAME | PLUS) and opponents:
        special = taken_by_special(options, word, facing, lanes_towards(occupied, cell), opponents)
        if special:
            return cells_of(taken | special, cell) | FIRED
    return cells_of(taken, cell)


@kernel
def _value(work: Work, occupied: int, mine: int, hand: int) -> int:
    """Return what the cards are worth beyond their cells, on the board and in the own hand."""
    value = 0
    while occupied:
        cell = lowest_bit(occupied)
        occupied = drop_lowest(occupied)
        worth = int(work[CELL_VALUES + cell])
        value += worth if (mine >> cell) & 1 else -worth
    while hand:
        value += int(work[SLOT_VALUES + lowest_bit(hand)]) * int(work[HAND_WEIGHT]) >> ONE
        hand = drop_lowest(hand)
    return value


@inline_kernel
def leaf(work: Work, occupied: int, mine: int, hands: int) -> int:
    """Return the score of a board; the card that came last is still in its slot, too."""
    score = int(work[TILE_WEIGHT]) * (2 * bit_count(mine) - bit_count(occupied))
    if work[HAS_VALUES]:
        score += _value(work, occupied, mine, hands & int(HANDS[0]))
    noise = int(work[NOISE_WEIGHT])
    if noise:
        random = step(int(work[FOUND + RANDOM]))
        work[FOUND + RANDOM] = random
        score += drawn(random) % (noise + 1)
    return score


@kernel
def clear_bounds(work: Work) -> None:
    """Set bounds that nothing exceeds."""
    for ply in range(GREATEST_DEPTH):
        work[BOUNDS + ply] = BEYOND if _is_own(ply) else -BEYOND


@inline_kernel
def _weigh(work: Work, is_own: bool, taken: int, weighted: int) -> int:
    """Return a weighted score with what Same or Plus adds to an own move."""
    if is_own and taken & FIRED:
        return weighted * int(work[SAME_WEIGHT]) >> ONE
    return weighted


@inline_kernel
def _cells_after(mine: int, taken: int, cell: int, is_own: bool) -> int:
    """Return which cells the computer player owns after a placement."""
    return (mine ^ taken | (1 << cell if is_own else 0)) & ALL_CELLS


@inline_kernel
def _note_root(work: Work, slot: int, cell: int, weighted: int, raw: int) -> None:
    """Write down what a move at the root is worth."""
    place = ROOT + ROOT_LENGTH * int(work[FOUND + MOVES])
    work[place], work[place + 1], work[place + 2], work[place + 3] = slot, cell, weighted, raw
    work[FOUND + MOVES] += 1


@kernel
def score_last(work: Work, occupied: int, mine: int, hands: int, ply: int) -> tuple[int, int]:
    """Return raw and weighted score of a node whose moves lead to leaves."""
    is_own = _is_own(ply)
    theirs = occupied & ~mine if is_own else mine
    bound = int(work[BOUNDS + ply])
    best_raw, best_weighted = BEYOND, -BEYOND
    is_cut = False
    slots = hands & int(HANDS[0 if is_own else 1])
    while slots and not is_cut:
        slot = lowest_bit(slots)
        slots = drop_lowest(slots)
        cells = ALL_CELLS & ~occupied
        while cells and not is_cut:
            cell = lowest_bit(cells)
            cells = drop_lowest(cells)
            word = int(work[WORDS + slot * CELLS + cell])
            taken = captured(work, occupied, theirs, word, cell)
            work[FOUND + PLACEMENTS] += 1
            work[CELL_VALUES + cell] = work[SLOT_VALUES + slot]
            after = _cells_after(mine, taken, cell, is_own)
            raw = leaf(work, occupied | (1 << cell), after, hands)
            weighted = _weigh(work, is_own, taken, raw)
            if ply == 0:
                _note_root(work, slot, cell, weighted, raw)
            if (weighted > best_weighted) if is_own else (raw < best_raw):
                best_raw, best_weighted = raw, weighted
            is_cut = raw > bound if is_own else weighted < bound
    work[BOUNDS + ply] = best_raw if is_own else best_weighted
    return best_raw, best_weighted


@inline_kernel
def _frame(ply: int) -> int:
    """Return where a node's frame begins."""
    return FRAMES + FRAME_LENGTH * ply


@kernel
def open_node(work: Work, occupied: int, mine: int, hands: int, ply: int) -> None:
    """Begin with a node: none of its moves has been tried."""
    frame = _frame(ply)
    work[frame + OCCUPIED], work[frame + MINE], work[frame + HANDS_LEFT] = occupied, mine, hands
    work[frame + SLOTS_LEFT] = hands & int(HANDS[0 if _is_own(ply) else 1])
    work[frame + CELLS_LEFT] = ALL_CELLS & ~occupied
    work[frame + BEST_RAW], work[frame + BEST_WEIGHTED] = BEYOND, -BEYOND


@kernel
def try_next(work: Work, ply: int) -> bool:
    """Put the next card of a node down; return False when there is none left to try."""
    frame = _frame(ply)
    slots, cells = int(work[frame + SLOTS_LEFT]), int(work[frame + CELLS_LEFT])
    occupied, mine = int(work[frame + OCCUPIED]), int(work[frame + MINE])
    if slots and not cells:
        slots, cells = drop_lowest(slots), ALL_CELLS & ~occupied
    if not slots:
        return False
    slot, cell = lowest_bit(slots), lowest_bit(cells)
    word = int(work[WORDS + slot * CELLS + cell])
    theirs = occupied & ~mine if _is_own(ply) else mine
    work[frame + TAKEN] = captured(work, occupied, theirs, word, cell)
    work[frame + SLOTS_LEFT], work[frame + CELLS_LEFT] = slots, drop_lowest(cells)
    work[frame + SLOT], work[frame + CELL] = slot, cell
    work[FOUND + PLACEMENTS] += 1
    work[CELL_VALUES + cell] = work[SLOT_VALUES + slot]
    put(work, word, cell, 1)
    return True


@kernel
def judge(work: Work, ply: int, raw: int, weighted: int) -> None:
    """Take the card of a node's move up again, and compare what the move came to."""
    frame, is_own = _frame(ply), _is_own(ply)
    slot, cell = int(work[frame + SLOT]), int(work[frame + CELL])
    put(work, int(work[WORDS + slot * CELLS + cell]), cell, -1)
    weighted = _weigh(work, is_own, int(work[frame + TAKEN]), weighted)
    if ply == 0:
        _note_root(work, slot, cell, weighted, raw)
    best_raw, best_weighted = int(work[frame + BEST_RAW]), int(work[frame + BEST_WEIGHTED])
    if (weighted > best_weighted) if is_own else (raw < best_raw):
        work[frame + BEST_RAW], work[frame + BEST_WEIGHTED] = raw, weighted
    bound = int(work[BOUNDS + ply])
    if raw > bound if is_own else weighted < bound:
        work[frame + SLOTS_LEFT] = 0


@kernel
def close_node(work: Work, ply: int) -> tuple[int, int]:
    """Keep a node's score as the bound of its ply; return it, raw and weighted."""
    frame = _frame(ply)
    raw, weighted = int(work[frame + BEST_RAW]), int(work[frame + BEST_WEIGHTED])
    work[BOUNDS + ply] = raw if _is_own(ply) else weighted
    return raw, weighted


@kernel
def score_root(work: Work, occupied: int, mine: int, hands: int, depth: int) -> tuple[int, int]:
    """Return raw and weighted score of the root, looking `depth` plies ahead.

    Nodes above the last ply lie in frames. A kernel that called itself would be compiled twice,
    once for the ply 0 that the root is asked with, and could not be loaded from the cache.
    """
    clear_bounds(work)
    if depth == 1:
        return score_last(work, occupied, mine, hands, 0)
    ply = 0
    open_node(work, occupied, mine, hands, ply)
    while True:
        if try_next(work, ply):
            frame = _frame(ply)
            cell = int(work[frame + CELL])
            full = int(work[frame + OCCUPIED]) | (1 << cell)
            taken, mine = int(work[frame + TAKEN]), int(work[frame + MINE])
            mine = _cells_after(mine, taken, cell, _is_own(ply))
            hands = int(work[frame + HANDS_LEFT]) & ~(1 << int(work[frame + SLOT]))
            if ply + 2 < depth:
                ply += 1
                open_node(work, full, mine, hands, ply)
                continue
            raw, weighted = score_last(work, full, mine, hands, ply + 1)
        else:
            raw, weighted = close_node(work, ply)
            if ply == 0:
                return raw, weighted
            ply -= 1
        judge(work, ply, raw, weighted)

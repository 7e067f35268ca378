"""A slow twin of the game's computer player, written from the text about it.

It takes and returns rows of the vectors: owners are "computer" and "human", hands five slots with
None for played ones. It shares no code with the engine; what a placement captures is the slow
twin of the rules', without Combo. Two switches break it, for tests that must notice.
"""

from __future__ import annotations

from typing import Any

from tests.naive import CARDS, LETTERS, Board, Placement

Row = dict[str, Any]
Score = tuple[int, int]  # raw, weighted

DEPTHS = ["111111111", "122211111", "122222222", "123332222", "123333322", "123433322"]
DEPTHS += ["123443333", "123444433"]  # by row; with 1 to 9 empty cells
PLAIN = (4096, 0, 0, 4096, 4096)
WEIGHTS = {  # tile, power, noise, same, hand
    0: PLAIN,
    1: (2048, 4096, 0, 4096, 16384),
    2: (4096, 16384, 0, 4096, 2048),
    3: (4096, 0, 4096, 4096, 4096),
    4: (4096, 0, 0, 8192, 4096),
    5: (4096, 0, 0, 16384, 4096),
    6: PLAIN,
    7: PLAIN,
}


class Stream:
    """The one stream of random numbers."""

    def __init__(self, state: int) -> None:
        self.state = state

    def draw(self) -> int:
        self.state = (69069 * self.state + 1) % 2**32
        return self.state >> 17


class Twin:
    """One turn of the computer player."""

    def __init__(self, row: Row, *, keeps_bound: bool = True, has_combo: bool = False) -> None:
        self.row, self.keeps_bound, self.has_combo = row, keeps_bound, has_combo
        self.rules = {**row["rules"], "variant": "ff8"}
        self.elements = {
            cell: LETTERS[letter] for cell, letter in enumerate(row["elements"]) if letter
        }
        self.tile, self.power, self.noise, self.same, self.hand = WEIGHTS[row["strategy"] & 7]
        self.stream = Stream(row["rng"])
        self.bounds: dict[int, int] = {}
        self.hands = {"computer": list(row["computer_hand"]), "human": list(row["human_hand"])}
        self.root: list[list[int]] = []
        self.placements = 0

    def decide(self) -> Row:
        """Return the fields of a vector that say what was decided."""
        board: Board = {
            cell: (CARDS[there[0]], there[1])
            for cell, there in enumerate(self.row["board"])
            if there
        }
        depth = int(DEPTHS[self.row["search"] & 7][9 - len(board) - 1])
        guess = None
        if not self.rules["open"] and not self.row["search"] & 16:
            guess = [self.guessed(CARDS[card]["level"]) for card in self.row["computer_dealt"]]
            self.hands["human"] = list(guess)
        raw, weighted = self.node(board, "computer", 0, depth)
        best = max(self.root, key=lambda move: move[2])  # the first of them
        return {
            "depth": depth,
            "guess": guess,
            "move": {"slot": best[0], "card_id": self.hands["computer"][best[0]], "cell": best[1]},
            "weighted": weighted,
            "raw": raw,
            "placements": self.placements,
            "rng_after": self.stream.state,
            "root": self.root,
        }

    def guessed(self, level: int) -> int:
        x = self.stream.draw()
        y = self.stream.draw()
        return (x % level) * 11 + y % 11 + 1

    def value(self, card: Row) -> int:
        squares = sum(card[side] ** 2 for side in ("top", "bottom", "left", "right"))
        return int((squares // 2) * self.power // 200 >> 12)

    def leaf(self, board: Board) -> int:
        score = 0
        for card, owner in board.values():
            worth = self.tile + self.value(card)
            score += worth if owner == "computer" else -worth
        for card_id in self.hands["computer"]:
            if card_id is not None:
                score += self.value(CARDS[card_id]) * self.hand >> 12
        if self.noise:
            score += self.stream.draw() % (self.noise + 1)
        return score

    def place(self, board: Board, card_id: int, cell: int, who: str) -> tuple[Board, bool]:
        """Return the board after a placement, and whether Same or Plus took a card."""
        self.placements += 1
        after = {**board, cell: (CARDS[card_id], who)}
        placement = Placement(after, self.elements, self.rules, cell)
        special = placement.same() | placement.plus()
        if self.has_combo:
            placement.captures()
            return after, bool(special)
        for taken in special | set(placement.basic(cell)):
            placement.take(taken)
        return after, bool(special)

    def node(self, board: Board, who: str, ply: int, depth: int) -> Score:
        best: Score | None = None
        is_computer = who == "computer"
        hand = self.hands[who]
        moves = [
            (slot, cell)
            for slot in range(5)
            if hand[slot] is not None
            for cell in range(9)
            if cell not in board
        ]
        for slot, cell in moves:
            card_id = hand[slot]
            after, fired = self.place(board, card_id, cell, who)
            factor = self.same if fired and is_computer else 4096
            if depth > 1:
                hand[slot] = None
                other = "human" if is_computer else "computer"
                raw, weighted = self.node(after, other, ply + 1, depth - 1)
                hand[slot] = card_id
            else:
                raw = weighted = self.leaf(after)
            weighted = weighted * factor >> 12
            if ply == 0:
                self.root.append([slot, cell, weighted, raw])
            if best is None or (weighted > best[1] if is_computer else raw < best[0]):
                best = raw, weighted
            bound = self.bounds.get(ply) if self.keeps_bound else None
            if bound is not None and (raw > bound if is_computer else weighted < bound):
                break
        assert best is not None
        self.bounds[ply] = best[0] if is_computer else best[1]
        return best


def deal(row: Row) -> tuple[list[int], int]:
    """Return the hand that a row of the dealing vectors asks for, and the state afterwards."""
    stream, hand, chance = Stream(row["rng"]), list[int](), row["rare_chance"]
    for rare in sorted(row["rares"]):
        if len(hand) < 5 and stream.draw() % 100 < chance:
            chance = row["rare_chance"] >> 1
            hand.append(rare)
    levels = [level for level in range(1, 8) if row["level_mask"] >> (level - 1) & 1] or [1]
    while len(hand) < 5:
        x, y = stream.draw(), stream.draw()
        card = (levels[x % len(levels)] - 1) * 11 + y % 11 + 1
        if card != 48 and card not in hand:
            hand.append(card)
    return hand, stream.state

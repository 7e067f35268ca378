"""The options of `precompute export`, and which of them have a say in which mode."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from console.options import is_given, refuse_given, spelled
from precompute.export.formats import Format
from precompute.export.output import STDOUT
from precompute.export.recipe import Mode, OffLine, Play, PolicyFormat, ValueMode
from precompute.limits import LARGEST_TABLE, MOST_THREADS

MOST_GAMES = 1_000_000_000
MOST_ROLLOUTS = 1_000_000
CHUNK_SIZE = 32

_share = partial(typer.Option, min=0.0, max=1.0)
_weight = partial(typer.Option, min=-1000.0, max=1000.0)

OutOption = Annotated[str, typer.Option(metavar="PATH", help="Output; - for stdout; .zst presses.")]
ModeOption = Annotated[Mode, typer.Option(help="Sampled games, or all below a root.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", show_default="by the ending of PATH", help="Format of the output."),
]
StateOption = Annotated[
    str | None,
    typer.Option(metavar="@FILE", help="full, graph: a root; @FILE with JSON, or a notation."),
]
PliesOption = Annotated[
    str | None,
    typer.Option(metavar="N|all", show_default="all", help="full, graph: the deepest ply."),
]
MaxRowsOption = Annotated[
    int | None, typer.Option(min=1, help="full, graph: only the first so many rows.")
]
TerminalOption = Annotated[
    bool, typer.Option("--include-terminal", help="The finished states as well.")
]
ShardRowsOption = Annotated[int | None, typer.Option(min=1, help="Rows in a file, if several.")]
GamesOption = Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="Games to be played.")]
ThreadsOption = Annotated[
    int | None, typer.Option(min=1, max=MOST_THREADS, show_default="cores - 1", help="Workers.")
]
ChunkSizeOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        show_default=f"games / threads, at most {CHUNK_SIZE}",
        help="Games that a worker takes at a time.",
    ),
]
PolicyOption = Annotated[PolicyFormat, typer.Option(help="How good moves are told.")]
TemperatureOption = Annotated[
    float, typer.Option(min=0.01, max=1000.0, help="soft: scores are divided by it.")
]
RolloutsOption = Annotated[
    int, typer.Option(min=1, max=MOST_ROLLOUTS, help="Rollouts of a tree search.")
]
ValueOption = Annotated[ValueMode, typer.Option(help="How a state's worth is told.")]
TableOption = Annotated[
    int, typer.Option(min=1, max=LARGEST_TABLE, metavar="MIB", help="A worker's table.")
]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="A line every few seconds.")]
OffRateOption = Annotated[float, _share(help="Share of games off the best line.")]
OffStrategyOption = Annotated[OffLine, typer.Option(help="How those games go on.")]
PlayOption = Annotated[Play, typer.Option(help="How games go on.")]
MixEarlyOption = Annotated[float, _share(help="mix: share of the heuristic at the first ply.")]
MixLateOption = Annotated[float, _share(help="mix: share of the heuristic at the last ply.")]
MixMctsOption = Annotated[float, _share(help="mix: share of the tree search, if it is searched.")]
CornerOption = Annotated[float, _weight(help="heuristic: a corner.")]
EdgeOption = Annotated[float, _weight(help="heuristic: an edge.")]
CenterOption = Annotated[float, _weight(help="heuristic: the centre.")]
GreedyOption = Annotated[float, _weight(help="heuristic: what the margin gains at once.")]
DefenseOption = Annotated[float, _weight(help="heuristic: how little the card is exposed.")]
ElementOption = Annotated[float, _weight(help="heuristic: the cell's element.")]

OF_ROOTS = ("hands", "state", "plies", "max_rows")
OF_GAMES = ("games", "chunk_size", "off_pv_rate", "off_pv_strategy", "play_strategy")
OF_STATES = ("hands", "hand_strategy", "rules", "variant", "elements", "first")
PREFIXES_OF_GAMES = ("mix_", "heur_")


def check_options(context: typer.Context, mode: Mode) -> list[str]:
    """Refuse options that ask for other states than there would be.

    Return those that only have no say: how games are played, where none are.
    """
    if mode is Mode.TRAJECTORY:
        allowed = "leave it out with --mode trajectory, which samples its deals"
        refuse_given(context, OF_ROOTS, allowed)
    if is_given(context, "state"):
        refuse_given(context, OF_STATES, "leave it out with --state, which sets it")
    if is_given(context, "hands"):
        refuse_given(context, ["hand_strategy"], "leave it out with --hands, which sets it")
    if context.params["out"] == STDOUT:
        refuse_given(context, ["shard_rows"], "leave it out with --out -, which is one stream")
    if mode is Mode.TRAJECTORY:
        return []
    return [spelled(name) for name in context.params if _is_of_games(context, name)]


def are_given(context: typer.Context, *names: str) -> bool:
    """Tell whether any of these options stands on the command line."""
    return any(is_given(context, name) for name in names)


def _is_of_games(context: typer.Context, name: str) -> bool:
    is_one = name in OF_GAMES or name.startswith(PREFIXES_OF_GAMES)
    return is_one and is_given(context, name)

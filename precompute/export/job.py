"""Carry out a recipe: which rows, by whom, into which files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.errors import counted
from engine.tablebase.blocks import REVISION
from engine.tablebase.depth_first import bytes_met
from engine.tablebase.retrograde import bytes_needed
from engine.tablebase.root import make_root
from precompute.export.formats import Format, coding_of
from precompute.export.labellers import Labellers
from precompute.export.output import Output
from precompute.export.recipe import Mode, Recipe
from precompute.export.run import LabelRows, Source, run_export
from precompute.export.trajectory import Games
from precompute.export.watch import ExportWatch
from precompute.export.whole import Full, Graph
from store.exported import SCHEMA
from work.machine import MEBIBYTE

FILES_NAMED = 3  # in the last line


@dataclass(frozen=True)
class ExportMeans:
    """What an export works with; none of it changes a byte."""

    threads: int
    chunk_size: int  # games that a labeller takes at a time
    table: int  # of each labeller, in MiB
    is_verbose: bool = False


@dataclass(frozen=True)
class Export:
    """A recipe to be carried out."""

    recipe: Recipe
    means: ExportMeans
    say: Callable[[str], None]

    def write(self, out: str, kind: Format, shard_rows: int | None) -> None:
        """Write the files and their manifest."""
        recipe, verbose = self.recipe, self.means.is_verbose
        coding = coding_of(kind, recipe.mode, recipe.labels, recipe.rules)
        games = recipe.games if recipe.mode is Mode.TRAJECTORY else None
        with Output(out, shard_rows, coding.open) as output:
            labellers = self._hire()
            with ExportWatch(self.say, labellers, games=games, is_verbose=verbose) as watch:
                source = self._source(watch)
                task = LabelRows(source, labellers, coding.encode)
                by_ply = run_export(task, output, watch, recipe.max_rows)
            manifest = output.finish(self._facts(kind, by_ply))
        names = ", ".join(file.name for file in output.files[:FILES_NAMED])
        more = ", ..." if len(output.files) > FILES_NAMED else ""
        last = f"manifest {manifest}" if manifest else f"SHA-256 {output.files[0].sha256}"
        self.say(f"{counted(output.rows, 'state')}, {watch.rate}: {names}{more}; {last}")

    def _hire(self) -> Labellers:
        """Return the labellers, and say what there is to do and with what."""
        recipe, means = self.recipe, self.means
        threads = counted(means.threads, "thread")
        if recipe.root is None:
            chunk = counted(means.chunk_size, "game")
            self.say(f"{counted(recipe.games, 'game')}; {threads}, chunks of {chunk}")
        else:
            root, is_graph = make_root(recipe.root), recipe.mode is Mode.GRAPH
            needed = (
                bytes_needed(root, keeps_layers=True)
                if is_graph
                else bytes_met(root, recipe.deepest)
            )
            self.say(f"all below the root; {threads}, {needed // MEBIBYTE:,} MiB for the states")
            if is_graph:
                return Labellers(recipe.labels, means.threads, mebibytes=0)  # nothing is searched
        labellers = Labellers(recipe.labels, means.threads, means.table)
        for number, labeller in enumerate(labellers.all, start=1):
            self.say(f"worker {number}: a table of {len(labeller.solver.table):,} entries")
        return labellers

    def _source(self, watch: ExportWatch) -> Source[Any]:
        """Return where the rows come from."""
        recipe, means = self.recipe, self.means
        if recipe.root is None:
            return Games(
                recipe.dealer,
                recipe.stepping,
                recipe.has_terminal,
                games=recipe.games,
                chunk_size=means.chunk_size,
            )
        whole = (recipe.root, recipe.deepest, recipe.dealer.seed)
        if recipe.mode is Mode.FULL:
            return Full(*whole)
        return Graph(*whole, means.threads, watch.phase, watch.expect)

    def _facts(self, kind: Format, by_ply: dict[int, int]) -> dict[str, Any]:
        """Return what the manifest says besides its files."""
        recipe = self.recipe
        return {
            "schema": SCHEMA,
            "format": kind.value,
            "seed": recipe.dealer.seed,
            "flags": recipe.flags(),
            "cards": recipe.dealer.catalogue.digest,
            "engine_revision": REVISION,
            "rows_by_ply": by_ply,
        }

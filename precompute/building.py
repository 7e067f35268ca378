"""A build: options to plan, plan to job, what the job did in words."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.progress import TextColumn

from console.options import DEFAULT_DATABASE
from console.progress import progress_bar
from engine.errors import DealError, Words, counted
from engine.game.cards import Catalogue
from engine.game.dealing import Dealer
from engine.tablebase.retrograde import LAST_PLY
from precompute.demo import demo_states
from precompute.job import Job, Report
from precompute.plan import (
    openings,
    parse_plies,
    plan_roots,
    read_hands,
    read_states,
    sampled,
)
from precompute.report import print_layers
from precompute.say import say
from precompute.watch import JobWatch
from store.records import PlannedRoot
from work.tasks import ClusterError


def carry_out(
    job: Job, plan: list[PlannedRoot] | None, resume: bool, command: str
) -> Report | None:
    """Run a job; when it ends before its time, say by which command it goes on."""
    with JobWatch(say) as watch:
        try:
            return job.run(plan, resume=resume, watch=watch)
        except (KeyboardInterrupt, ClusterError) as error:
            if not watch.total:  # it has not even begun
                raise
            way_on = f"{watch.stored}; go on with: {command}"
            if isinstance(error, ClusterError):
                raise ClusterError(f"{error}; {way_on}") from error
            say(way_on)
            raise


def again(db: object, cluster: str | None) -> str:
    """Return the command that goes on with an interrupted job."""
    options = [f"--db {db}"] if db != DEFAULT_DATABASE else []
    options += [f"--cluster {cluster}"] if cluster else []
    return " ".join(["precompute --resume", *options])


def make_plan(  # noqa: PLR0913  one parameter for each option
    catalogue: Catalogue,
    dealers: list[Dealer],
    hands: list[str] | None,
    sample: int | None,
    state: str | None,
    demo: bool,
    plies: str | None,
) -> list[PlannedRoot] | None:
    """Return the plan that the options describe; None when they describe none."""
    sources = {"--hands": hands, "--sample": sample, "--state": state, "--demo": demo or None}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise DealError.of("deals", Words(" and ".join(given)), "one of " + ", ".join(sources))
    if state is not None:
        return plan_roots(read_states(state, catalogue), parse_plies(plies, LAST_PLY), catalogue)
    if hands is not None:
        states = openings(dealers, read_hands(hands, catalogue))
    elif sample is not None:
        states = sampled(dealers, sample)
    elif demo:
        states = demo_states(catalogue)
    else:
        return None
    with progress_bar(TextColumn("{task.completed} deals")) as bar:
        counted_states = bar.track(states, description="plan")
        return plan_roots(counted_states, parse_plies(plies), catalogue)


def tell(report: Report | None, json_output: bool) -> None:
    """Say what was done."""
    if report is None:
        say("everything that was asked for is stored already")
        if json_output:
            typer.echo(json.dumps({"deals": 0}))
        return
    facts: dict[str, Any] = {
        "deals": report.deals,
        **({"tables": report.tables} if report.tables else {}),
        "states_solved": report.states,
        "seconds": round(report.seconds, 3),
        "generation": report.generation.name,
        "file_bytes": sum(part.bytes for part in report.generation.parts),
        "digest": report.generation.totals["digest"],
        "layers": report.layers,
        "total": report.total,
    }
    if json_output:
        typer.echo(json.dumps(facts))
        return
    if report.deals:
        print_layers(report.layers, report.total)
    typer.echo(
        f"{done_text(report)} in {report.seconds:,.1f} s: "
        f"{report.states:,} states solved, {facts['total']['states']:,} stored; "
        f"{facts['generation']} has {facts['file_bytes']:,} bytes, content digest {facts['digest']}"
    )


def done_text(report: Report) -> str:
    """Return in words how many deals and tables a job made."""
    made = [counted(report.deals, "deal")] if report.deals or not report.tables else []
    return " and ".join(made + ([counted(report.tables, "table")] if report.tables else []))

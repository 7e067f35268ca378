"""`precompute`: solve deals and write them into a database."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.progress import TextColumn

from console.options import (
    DEFAULT_CARDS,
    CardsOption,
    DatabaseOption,
    ElementsOption,
    JsonOption,
    RulesOption,
    SeedOption,
    VariantOption,
    make_dealer,
    parse_first,
    refuse_given,
    spelled,
)
from console.progress import progress_bar
from engine.errors import DealError, counted
from engine.game.cards import Catalogue, load_cards
from engine.game.deal import Player
from engine.game.dealing import Dealer, Strategy
from engine.game.rules import Variant
from engine.tablebase.retrograde import LAST_PLY
from precompute.crew import choose_crew
from precompute.demo import demo_states
from precompute.job import Job, Report
from precompute.plan import (
    DEFAULT_PLIES,
    openings,
    parse_plies,
    plan_roots,
    read_hands,
    read_states,
    sampled,
)
from precompute.report import print_layers
from precompute.watch import JobWatch
from store.generations import DATA, DEFAULT_DATABASE, Folder
from store.records import PlannedRoot
from store.summary import total_of
from work.tasks import ClusterError

BOTH = "both"
SOURCES = ("hands", "sample", "state", "demo")
OF_DEALS = ("rules", "variant", "elements", "first", "hand_strategy", "seed")
OF_PLANS = ("plies",)


def build(  # noqa: PLR0913  one parameter for each option
    context: typer.Context,
    *,
    hands: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="A deal, ids or names: 1,2,3,4,5:6,7,8,9,10; or @FILE, one a line. Repeatable.",
        ),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", help="N sampled deals instead.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="@FILE",
            help="All below a state: @FILE with JSON, also one a line; or a notation.",
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="A few deals of both variants: a first look.")
    ] = False,
    seed: SeedOption = 0,
    hand_strategy: Annotated[
        Strategy, typer.Option(help="How hands are sampled.")
    ] = Strategy.RANDOM,
    rules: RulesOption = "none",
    variant: VariantOption = Variant.TRIPLECARGO,
    elements: ElementsOption = "none",
    first: Annotated[str, typer.Option(help="Who starts: A, B, random, or both: two deals.")] = "A",
    plies: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Deepest ply stored; a root itself always is.",
            show_default=f"{DEFAULT_PLIES}; all with --state",
        ),
    ] = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, show_default="all cores", help="Threads.")
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="MIB", show_default="3/4 of what is free", help="Ceiling of memory."
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Solve on a Dask cluster: tcp://host:port of its scheduler; local: a try here.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a job that was interrupted.")
    ] = False,
    json_output: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Solve every reachable state of deals into a database that the service answers from.

    Examples:
      precompute --hands 1,2,3,4,5:6,7,8,9,10 --rules same,plus --first both

      precompute --sample 100 --seed 7 --variant ff8 --rules same,plus,elemental --elements ff8

      precompute --resume --cluster tcp://scheduler:8786
    """
    if context.invoked_subcommand:
        return
    check_used(context)
    crew = choose_crew(cluster, threads, memory)
    catalogue = load_cards(cards)
    if first != BOTH:
        parse_first(first, "A, B, random or both")
    dealer = make_dealer(
        catalogue,
        seed=seed,
        strategy=hand_strategy,
        rules=rules,
        variant=variant,
        elements=elements,
        first="random" if first == BOTH else first,
    )
    dealers = [replace(dealer, first=player) for player in Player] if first == BOTH else [dealer]
    plan = make_plan(catalogue, dealers, hands, sample, state, demo, plies)
    if plan is None and not resume:
        raise typer.BadParameter("nothing to do: --hands, --sample, --state, --demo or --resume")
    on_workers = None if cards == DEFAULT_CARDS else cards.resolve()
    job = Job(Folder(db), catalogue, crew, on_workers)
    report = carry_out(job, plan, resume, again(db, cluster))
    tell(report, json_output)


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


def check_used(context: typer.Context) -> None:
    """Refuse options that would have no say: what they set is settled by another."""
    for name in ("state", "demo"):
        if context.params[name]:
            refuse_given(context, OF_DEALS, f"leave it out with {spelled(name)}, which sets it")
    if context.params["resume"] and not any(context.params[name] for name in SOURCES):
        allowed = "leave it out with --resume alone, which goes on with the stored plan"
        refuse_given(context, (*OF_DEALS, *OF_PLANS), allowed)


def say(text: str) -> None:
    """Write one line on stderr."""
    typer.echo(f"precompute: {text}", err=True)


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
        raise DealError.of("deals", " and ".join(given), "one of " + ", ".join(sources))
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
        "states_solved": report.states,
        "seconds": round(report.seconds, 3),
        "generation": report.generation.name,
        "file_bytes": (report.generation / DATA).stat().st_size,
        "digest": report.manifest.digest,
        "layers": report.layers,
        "total": total_of(report.layers),
    }
    if json_output:
        typer.echo(json.dumps(facts))
        return
    if report.deals:
        print_layers(report.layers)
    typer.echo(
        f"{counted(facts['deals'], 'deal')} in {report.seconds:,.1f} s: "
        f"{report.states:,} states solved, {facts['total']['states']:,} stored; "
        f"{facts['generation']} has {facts['file_bytes']:,} bytes, content digest {facts['digest']}"
    )

"""`precompute`: solve deals and write them into a database."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from console.options import (
    DEFAULT_CARDS,
    DEFAULT_DATABASE,
    CardsOption,
    DatabaseOption,
    ElementsOption,
    JsonOption,
    RulesOption,
    SeedOption,
    StrategyOption,
    VariantOption,
    refuse_before,
    refuse_given,
    spelled,
)
from engine.game.rules import Variant
from engine.game.strategy import Strategy
from precompute.limits import DEFAULT_PLIES, MOST_THREADS

BOTH = "both"
SOURCES = ("hands", "sample", "state", "demo")
OF_DEALS = ("rules", "variant", "elements", "first", "hand_strategy", "seed")
OF_PLANS = ("plies",)
# A table is for all splits and both starters, under the one variant in which rounds are drawn.
OTHERS_THAN_TABLES = (*SOURCES, "variant", "elements", "first", "hand_strategy", "seed", *OF_PLANS)


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
    sudden_death: Annotated[
        bool, typer.Option("--sudden-death", help="Tables of Sudden Death instead of deals.")
    ] = False,
    ten: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Ten cards of a table, ids or names: 2,3,4,5,6,7,19,20,24,27; or @FILE, ten a "
            "line. Repeatable.",
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="A few deals of both variants: a first look.")
    ] = False,
    seed: SeedOption = 0,
    hand_strategy: StrategyOption = Strategy.RANDOM,
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
        int | None, typer.Option(min=1, max=MOST_THREADS, show_default="all cores", help="Threads.")
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
    no_merge: Annotated[
        bool, typer.Option("--no-merge", help="Leave parts as they are, however many there get.")
    ] = False,
    json_output: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Solve every reachable state of deals into a database that the service answers from.

    Examples:
      precompute --hands 1,2,3,4,5:6,7,8,9,10 --rules same,plus --first both

      precompute --sample 100 --seed 7 --variant ff8 --rules same,plus,elemental --elements ff8

      precompute --sudden-death --ten 2,3,4,5,6,7,19,20,24,27 --rules same,plus

      precompute --resume --cluster tcp://scheduler:8786
    """
    if context.invoked_subcommand:
        refuse_before(context)
        return
    check_used(context)
    # A job stands on half of this project; who asks for help, or names another command, does
    # not wait for it.
    from console.deals import make_dealer, parse_first, refuse_sudden_death
    from engine.game.cards import load_cards
    from engine.game.deal import Player
    from engine.text.notation import parse_rules
    from precompute.building import again, carry_out, make_plan, tell
    from precompute.crew import choose_crew
    from precompute.job import Job
    from precompute.rounds import plan_tables
    from store.generations import Folder

    crew = choose_crew(cluster, threads, memory)
    catalogue = load_cards(cards)
    on_workers = None if cards == DEFAULT_CARDS else cards.resolve()
    job = Job(Folder(db), catalogue, crew, on_workers, merges=not no_merge)
    if sudden_death:
        tables = plan_tables(ten or [], parse_rules(rules, Variant.FF8), catalogue)
        tell(carry_out(job, tables, resume, again(db, cluster)), json_output)
        return
    refuse_sudden_death(parse_rules(rules, variant))
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
        raise typer.BadParameter(
            "nothing to do: give --hands, --sample, --state, --demo or --resume"
        )
    report = carry_out(job, plan, resume, again(db, cluster))
    tell(report, json_output)


def check_used(context: typer.Context) -> None:
    """Refuse options that would have no say: what they set is settled by another."""
    if context.params["sudden_death"]:
        refuse_given(context, OTHERS_THAN_TABLES, "leave it out with --sudden-death")
        if not context.params["ten"]:
            raise typer.BadParameter("give the ten cards of a table: --ten 2,3,4,5,6,7,19,20,24,27")
    else:
        refuse_given(context, ("ten",), "only with --sudden-death")
    for name in ("state", "demo"):
        if context.params[name]:
            refuse_given(context, OF_DEALS, f"leave it out with {spelled(name)}, which sets it")
    if context.params["resume"] and not any(context.params[name] for name in SOURCES):
        allowed = "leave it out with --resume alone, which goes on with the stored plan"
        refuse_given(context, (*OF_DEALS, *OF_PLANS), allowed)

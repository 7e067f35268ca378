"""`precompute export`: options to source, labellers, output, manifest."""

from __future__ import annotations

from dataclasses import replace

import typer

from console.deals import chosen_deal, make_dealer, refuse_sudden_death
from console.options import (
    DEFAULT_CARDS,
    CardsOption,
    ElementsOption,
    FirstOption,
    HandsOption,
    RulesOption,
    SeedOption,
    StrategyOption,
    VariantOption,
)
from engine.errors import StateError, Words
from engine.game.board import CELLS
from engine.game.cards import load_cards
from engine.game.dealing import Dealer
from engine.game.rules import Variant
from engine.game.state import State
from engine.game.strategy import Strategy
from engine.tablebase.retrograde import LAST_PLY
from engine.text.notation import format_state
from precompute.export import options
from precompute.export.formats import format_of
from precompute.export.job import Export, ExportMeans
from precompute.export.labellers import TABLE_MEBIBYTES
from precompute.export.recipe import (
    Labels,
    Mix,
    Mode,
    OffLine,
    Play,
    PolicyFormat,
    Recipe,
    Stepping,
    ValueMode,
    Weights,
)
from precompute.plan import parse_plies, read_states
from precompute.say import say
from work.machine import count_cores

MIX, WEIGHTS = Mix(), Weights()


def export(  # noqa: PLR0913  one parameter for each option
    context: typer.Context,
    *,
    out: options.OutOption,
    mode: options.ModeOption = Mode.TRAJECTORY,
    file_format: options.FormatOption = None,
    games: options.GamesOption = 1,
    seed: SeedOption = 0,
    hand_strategy: StrategyOption = Strategy.RANDOM,
    rules: RulesOption = "none",
    variant: VariantOption = Variant.TRIPLECARGO,
    elements: ElementsOption = "none",
    first: FirstOption = "A",
    hands: HandsOption = None,
    state: options.StateOption = None,
    plies: options.PliesOption = None,
    max_rows: options.MaxRowsOption = None,
    include_terminal: options.TerminalOption = False,
    shard_rows: options.ShardRowsOption = None,
    policy_format: options.PolicyOption = PolicyFormat.ONEHOT,
    soft_temperature: options.TemperatureOption = 1.0,
    mcts_rollouts: options.RolloutsOption = 100,
    value_mode: options.ValueOption = ValueMode.WINLOSS,
    play_strategy: options.PlayOption = Play.MIX,
    mix_heuristic_early: options.MixEarlyOption = MIX.heuristic_early,
    mix_heuristic_late: options.MixLateOption = MIX.heuristic_late,
    mix_mcts: options.MixMctsOption = MIX.mcts,
    off_pv_rate: options.OffRateOption = 0.0,
    off_pv_strategy: options.OffStrategyOption = OffLine.RANDOM,
    heur_w_corner: options.CornerOption = WEIGHTS.corner,
    heur_w_edge: options.EdgeOption = WEIGHTS.edge,
    heur_w_center: options.CenterOption = WEIGHTS.center,
    heur_w_greedy: options.GreedyOption = WEIGHTS.greedy,
    heur_w_defense: options.DefenseOption = WEIGHTS.defense,
    heur_w_element: options.ElementOption = WEIGHTS.element,
    threads: options.ThreadsOption = None,
    chunk_size: options.ChunkSizeOption = None,
    tt_bytes: options.TableOption = TABLE_MEBIBYTES,
    verbose: options.VerboseOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Write labelled states: the same bytes for the same seed and options, whatever the threads.

    Examples:
      precompute export --out games.jsonl --games 1000 --rules same,plus --seed 7

      precompute export --out deal.npz --mode graph --hands 1,2,3,4,5:6,7,8,9,10 --plies 5

      precompute export --out - --policy-format soft --play-strategy pv | head -n 1
    """
    if ignored := options.check_options(context, mode):
        say(f"--mode {mode.value} plays no games: {', '.join(ignored)} ignored")
    catalogue = load_cards(cards)
    dealer = make_dealer(
        catalogue,
        seed=seed,
        strategy=hand_strategy,
        rules=rules,
        variant=variant,
        elements=elements,
        first=first,
    )
    refuse_sudden_death(dealer.rules)
    weights = Weights(
        heur_w_corner, heur_w_edge, heur_w_center, heur_w_greedy, heur_w_defense, heur_w_element
    )
    mix = Mix(mix_heuristic_early, mix_heuristic_late, mix_mcts)
    recipe = Recipe(
        mode,
        dealer,
        Labels(policy_format, soft_temperature, mcts_rollouts, value_mode),
        Stepping(play_strategy, mix, weights, off_pv_rate, off_pv_strategy),
        games,
        max_rows=max_rows,
        has_terminal=include_terminal,
    )
    recipe.stepping.check(policy_format)
    if mode is not Mode.TRAJECTORY:
        recipe = with_root(recipe, read_root(dealer, hands, state), plies)
    elif play_strategy is Play.MIX and options.are_given(context, "off_pv_rate", "off_pv_strategy"):
        say("--play-strategy mix plays every ply as it comes: the off-pv options are ignored")
    workers = threads or max(1, count_cores() - 1)
    chunk = chunk_size or min(options.CHUNK_SIZE, max(1, games // workers))
    means = ExportMeans(workers, chunk, tt_bytes, verbose)
    Export(recipe, means, say).write(out, file_format or format_of(out), shard_rows)


def read_root(dealer: Dealer, hands: str | None, state: str | None) -> State:
    """Return the state below which everything is exported."""
    if state is None:
        return State.start(chosen_deal(dealer, hands, 0))
    roots = read_states(state, dealer.catalogue)
    if len(roots) != 1:
        found = Words(f"{len(roots)} states")
        raise StateError.of("state", found, "one, as an export has one root")
    if roots[0].is_over:
        raise StateError.of("state", format_state(roots[0]), "a state that has moves left")
    return roots[0]


def with_root(recipe: Recipe, root: State, plies: str | None) -> Recipe:
    """Return a recipe for everything below a root; a root itself is always exported."""
    deepest = max(parse_plies(plies, LAST_PLY), root.ply)
    if recipe.has_terminal:
        if deepest < LAST_PLY:
            allowed = (
                f"with --plies {LAST_PLY} or all, as finished states come after ply {LAST_PLY}"
            )
            raise StateError.of("--include-terminal", Words(f"it with --plies {plies}"), allowed)
        deepest = CELLS
    return replace(recipe, root=root, deepest=deepest)

"""`make bench`: every figure as it is and relative to the calibration loop.

make bench                       all of it
make bench ARGS="games"          only what is named
make bench ARGS="growth"         of what `database` measures, how it grows
make bench ARGS="--json"         one JSON object per line
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Iterator
from itertools import chain

from tests.bench import (
    advise,
    cluster,
    commands,
    database,
    exploit,
    export,
    flood,
    games,
    growth,
    match,
    players,
    rounds,
    search,
    service,
)
from tests.bench.calibration import calibrate
from tests.bench.figures import Figure

BENCHES: dict[str, Callable[[], Iterator[Figure]]] = {
    "games": games.figures,
    "search": search.figures,
    "advise": advise.figures,
    "exploit": exploit.figures,
    "flood": flood.figures,
    "players": players.figures,
    "rounds": rounds.figures,
    "match": match.figures,
    "database": lambda: chain(database.figures(), growth.figures()),
    "cluster": cluster.figures,
    "commands": commands.figures,
    "service": service.figures,
    "export": export.figures,
}
SHARES: dict[str, Callable[[], Iterator[Figure]]] = {"growth": growth.figures}


def main() -> None:
    """Run the chosen benches and print their figures as they come."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument(
        "names", nargs="*", choices=[*BENCHES, *SHARES, []], help="which (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    arguments = parser.parse_args()
    if not arguments.json:
        print(f"{platform.machine()}, Python {platform.python_version()}")
        print(f"calibration loop: {calibrate():.3f} s")
    for name in arguments.names or BENCHES:
        for figure in {**BENCHES, **SHARES}[name]():
            print(json.dumps(figure.as_dict()) if arguments.json else figure, flush=True)


if __name__ == "__main__":
    main()

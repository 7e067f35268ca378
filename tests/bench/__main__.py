"""`make bench`: every figure as it is and relative to the calibration loop.

make bench                       all of it
make bench ARGS="games"          only what is named
make bench ARGS="--json"         one JSON object per line
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Iterator

from tests.bench import (
    advise,
    cluster,
    commands,
    database,
    export,
    flood,
    games,
    growth,
    match,
    players,
    search,
    service,
)
from tests.bench.calibration import calibrate
from tests.bench.figures import Figure

BENCHES: dict[str, Callable[[], Iterator[Figure]]] = {
    "games": games.figures,
    "search": search.figures,
    "advise": advise.figures,
    "flood": flood.figures,
    "players": players.figures,
    "match": match.figures,
    "database": database.figures,
    "growth": growth.figures,
    "cluster": cluster.figures,
    "commands": commands.figures,
    "service": service.figures,
    "export": export.figures,
}


def main() -> None:
    """Run the chosen benches and print their figures as they come."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHES, []], help="which (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    arguments = parser.parse_args()
    if not arguments.json:
        print(f"{platform.machine()}, Python {platform.python_version()}")
        print(f"calibration loop: {calibrate():.3f} s")
    for name in arguments.names or BENCHES:
        for figure in BENCHES[name]():
            print(json.dumps(figure.as_dict()) if arguments.json else figure, flush=True)


if __name__ == "__main__":
    main()

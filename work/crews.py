"""A cluster as options name it: by address, or one of our own."""

from __future__ import annotations

import re

from engine.errors import MissingExtraError, NotationError
from work.tasks import Crew

OWN_CLUSTER = "local"
HIGHEST_PORT = 65_535
_ADDRESS = re.compile(r"tcp://([\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})")


def check_address(text: str) -> None:
    """Raise `NotationError` unless a text says where a scheduler is, or to start one."""
    found = _ADDRESS.fullmatch(text)
    if text != OWN_CLUSTER and not (found and 0 < int(found[2]) <= HIGHEST_PORT):
        allowed = f"{OWN_CLUSTER}, or the address of a Dask scheduler: tcp://host:port"
        raise NotationError.of("cluster", text, allowed)


def cluster_crew(address: str, threads: int, mebibytes: int) -> Crew:
    """Return a crew on a cluster; one of our own has so many threads, and so much memory.

    Dask is an extra, so it is asked for only here.
    """
    check_address(address)
    try:
        from work.cluster.crew import ClusterCrew, connect_to, connect_to_own
    except ModuleNotFoundError as error:
        raise MissingExtraError("--cluster", "cluster", error) from error
    is_own = address == OWN_CLUSTER
    return ClusterCrew(connect_to_own(threads, mebibytes) if is_own else connect_to(address))

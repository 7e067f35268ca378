"""Which crew a job is to have: this machine, or a Dask cluster (`--cluster`)."""

from __future__ import annotations

import re
from pathlib import Path

from console.options import DEFAULT_CARDS
from engine.errors import DealError, NotationError
from precompute.crew import ClusterError, Crew, LocalCrew
from precompute.resources import count_cores, default_ceiling

OWN = "local"
_ADDRESS = re.compile(r"tcp://([\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})")
HIGHEST_PORT = 65_535


def choose_crew(cluster: str | None, threads: int | None, memory: int | None, cards: Path) -> Crew:
    """Return the crew that the options ask for."""
    if cluster is not None:
        check_address(cluster)
        given = {"--threads": threads, "--memory": memory}
        for option, found in given.items():
            if found is not None and cluster != OWN:
                allowed = "nothing with --cluster, whose workers plan with what they have"
                raise DealError.of(option, found, allowed)
    threads, memory = threads or count_cores(), memory or default_ceiling()
    if cluster is None:
        return LocalCrew(threads, memory)
    return _cluster_crew(cluster, threads, memory, None if cards == DEFAULT_CARDS else cards)


def check_address(text: str) -> None:
    """Raise `NotationError` unless a text says where a scheduler is, or to start one."""
    found = _ADDRESS.fullmatch(text)
    if text != OWN and not (found and 0 < int(found[2]) <= HIGHEST_PORT):
        allowed = f"{OWN}, or the address of a Dask scheduler: tcp://host:port"
        raise NotationError.of("cluster", text, allowed)


def _cluster_crew(cluster: str, threads: int, memory: int, cards: Path | None) -> Crew:
    """Return a crew on a cluster; Dask is an extra, so it is asked for only here."""
    try:
        from precompute.cluster import ClusterCrew, connect_to, connect_to_own
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"--cluster needs the extra `cluster`, which is not installed ({error}): "
            "pip install 'triadbase[cluster]'"
        ) from error
    connect = connect_to_own(threads, memory) if cluster == OWN else connect_to(cluster)
    return ClusterCrew(connect, cards.resolve() if cards else None)

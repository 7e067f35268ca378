"""A database that was grown job by job, merges included, asked through a real server."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.client import Client
from engine.text.notation import format_state
from engine.text.wire import state_to_dict
from store.answer import DATABASE
from store.deals import MOST_DEALS
from store.oracle import Oracle
from tests.conftest import IS_JIT_OFF
from tests.databases import build, small_roots
from tests.servers import running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

DEALS, JOBS = 10_000, 100
ASKED_EVERY = 100
PLY = 7


@pytest.mark.slow
def test_ten_thousand_deals_of_a_hundred_jobs_are_those_of_one_job(quick_path: Path) -> None:
    roots = small_roots(DEALS, PLY)
    shuffled = random.Random(15).sample(roots, DEALS)
    for number in range(JOBS):
        grown = build(quick_path / "grown", shuffled[number::JOBS]).generation
    whole = build(quick_path / "whole", roots).generation
    assert 1 < len(grown.parts) < JOBS
    assert grown.totals == whole.totals  # the content digest among them
    with (
        running(quick_path, "--db", str(quick_path / "grown")) as server,
        Client(server.url) as client,
    ):
        listed = sorted(deal.notation for deal in client.all_deals(limit=MOST_DEALS))
        assert listed == sorted({format_state(root.seated) for root in roots})
        for root in roots[::ASKED_EVERY]:
            answer = client.evaluate(state_to_dict(root))
            searched = Oracle(None).search(root).as_object()
            assert answer.source == DATABASE
            for name in ("margin", "value", "best_move", "pv", "state_hash"):
                assert getattr(answer, name) == getattr(searched, name)

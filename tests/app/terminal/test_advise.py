"""`triad advise`: a table for people, JSON for programs."""

from __future__ import annotations

import json

import pytest

from tests.commands import command
from tests.conftest import IS_JIT_OFF

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the command needs the compiler")

VIEW = ("ff8-sp_34A.1.12B.3.7B.1.56A_8.57.76_x3_A", "--levels", "1,2", "--played", "7,12")


def test_table_ends_with_what_it_assumes() -> None:
    lines = command("triad", "advise", *VIEW).stdout.splitlines()
    assert lines[0].startswith("Catoblepas (76) on cell 1")
    assert lines[-1].startswith("assumes: prior: levels 1, 2; belief: cards;")
    assert "exact" in lines[1]


def test_json_is_the_same_for_any_number_of_threads() -> None:
    texts = [command("triad", "advise", *VIEW, "--json", "--threads", n).stdout for n in "12"]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["best_move"] == {"card_id": 76, "cell": 1}


def test_state_of_a_file_and_wrong_options() -> None:
    found = command("triad", "advise", "--state", "@docs/view.json", "--style", "robust", "--json")
    assert json.loads(found.stdout)["style"] == "robust"
    wrong = command("triad", "advise", "--state", "@docs/view.json", "--style", "best")
    assert wrong.returncode == 2
    assert "style" in wrong.stderr

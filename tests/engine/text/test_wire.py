"""The quick way to read a state against the explaining one: the same facts, the same errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine.errors import NotJsonError, StateError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.facts import Facts
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.text.document import LABELS, load_json, split_list, state_from_dict
from engine.text.objects import encode
from engine.text.wire import (
    _plain_facts,
    read_facts,
    rules_to_dict,
    state_object,
    state_to_dict,
)
from tests import strategies, vectors
from tests.strategies import free_states

Document = dict[str, Any]
Outcome = Facts | tuple[str, str]

DEEP = 100_000
VECTORS = [
    pytest.param(vector["state"], id=f"{name}-{number}")
    for name in ("eval", "eval_odd")
    for number, vector in enumerate(vectors.load(name))
]
# What the quick way leaves to whoever puts the facts into a deal.
OF_COPIES = ("copies", "five different", "each card once", "at most once")
ELEMENTAL: Document = {
    "board": [
        {"cell": 0, "card_id": 12, "owner": "A", "element": "F"},
        *({"cell": cell, "card_id": None, "owner": None, "element": None} for cell in range(1, 9)),
    ],
    "hands": {"A": [34, 56, 78, 90], "B": [22, 33, 44, 55, 66]},
    "to_move": "B",
    "turn": 1,
    "rules": {"elemental": True, "same": False, "variant": "ff8"},
    "board_elements": ["F", *[None] * 8],
}
PLAIN = json.dumps(ELEMENTAL)


def explained(data: bytes, catalogue: Catalogue) -> Facts:
    return state_from_dict(load_json(data), catalogue).facts


def forgiving(data: bytes, catalogue: Catalogue) -> Facts:
    """Read as most programs do: the last of two equal fields counts."""
    return state_from_dict(json.loads(data), catalogue).facts


def outcome(
    reader: Callable[[bytes, Catalogue], Facts], data: bytes, catalogue: Catalogue
) -> Outcome:
    try:
        return reader(data, catalogue)
    except StateError as error:
        return type(error).__name__, str(error)


def cards_of(state: State) -> Catalogue:
    return Catalogue(tuple({card.id: card for card in state.deal.slots}.values()))


def turned(value: Any) -> Any:
    """Return a JSON value with the fields of all its objects the other way round."""
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('[]{},:"\\ ab'), inner),
    max_leaves=12,
)
label_values = st.sampled_from([None, True, 7, "e;", [1, [2]], {"card_id": 1, "cell": {":": ":"}}])
labels = st.dictionaries(st.sampled_from(LABELS), label_values)


@st.composite
def texts(draw: st.DrawFn, state: State) -> bytes:
    """Draw a way to write a state."""
    document = state_to_dict(state)
    if draw(st.booleans()):
        del document["turn"]
    if draw(st.booleans()):
        document["board"].reverse()
    if draw(st.booleans()):
        layout = state.elements if state.rules.elemental else draw(strategies.layouts)
        document["board_elements"] = layout
        if draw(st.booleans()):
            for entry in document["board"]:
                entry.pop("element", None)
    if draw(st.booleans()):
        document = turned(document)
    indent = draw(st.none() | st.integers(0, 3))
    return json.dumps(document, indent=indent, ensure_ascii=draw(st.booleans())).encode()


@given(free_states(), st.data())
def test_quick_way_reads_a_state_however_it_is_written(state: State, data: st.DataObject) -> None:
    text = data.draw(texts(state))
    assert _plain_facts(text, cards_of(state)) == explained(text, cards_of(state)) == state.facts


@given(free_states(), labels, st.data())
def test_labels_of_an_exported_line_change_nothing(
    state: State, given_labels: Document, data: st.DataObject
) -> None:
    document = json.loads(data.draw(texts(state)))
    text = json.dumps({**given_labels, **document}).encode()
    assert read_facts(text, cards_of(state)) == explained(text, cards_of(state)) == state.facts


@pytest.mark.parametrize("document", VECTORS)
def test_vector_is_read_the_quick_way(document: Document, catalogue: Catalogue) -> None:
    expected = state_from_dict(document, catalogue).facts
    for separators in [(",", ":"), (", ", ": ")]:
        text = json.dumps(document, separators=separators).encode()
        assert read_facts(text, catalogue) == expected
        assert _plain_facts(text, catalogue) == expected


PIECES = st.sampled_from(
    [
        *(b"0", b"1", b"8", b"9", b"-", b"-0", b"00", b"1.0", b"1e0", b"E", b".", b"99999999999"),
        *(b"true", b"false", b"null", b"NaN", b'"A"', b'"B"', b'"F"', b'"ff8"', b'"', b"\\"),
        *(b"[", b"]", b"{", b"}", b",", b":", b"[]", b"{}", b" ", b"\n", b"\t", b"\x0b", b"\x00"),
        *(b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b'"\\u0041"', b'"to\\u005fmove"', b"//", b"1,"),
        *(b'"turn":0,', b'"cell":0,', b'"card_id":1,', b'"owner":"A",', b'"element":null,'),
        *(b'"same":true,', b'"variant":"ff8",', b'"A":[],', b'"rules":{},', b'"game_id":1,'),
    ]
)


VALUES = st.sampled_from(
    [b"0", b"1", b"2", b"8", b"9", b"10", b"111", b"1.0", b"true", b"null", b'"A"', b'"B"', b'"F"']
)
VALUE = re.compile(rb'(?<=[:\[,])\s*(?:-?\d+|null|true|false|"\w+")(?=\s*[,\]}])')
FIELD = re.compile(rb'"\w+":\s*(?:-?\d+|null|true|false|"\w+")')


@st.composite
def damaged(draw: st.DrawFn, text: bytes) -> bytes:
    """Draw a text with one to three places changed.

    Most often by what may well be right there, so that much of it is JSON still: another
    value, a field once more. Else anything anywhere.
    """
    for _ in range(draw(st.integers(1, 3))):
        values, fields = list(VALUE.finditer(text)), list(FIELD.finditer(text))
        how = draw(st.sampled_from(["value", "field", "piece"]))
        if how == "value" and values:
            start, end = draw(st.sampled_from(values)).span()
            put = draw(VALUES)
        elif how == "field" and fields:
            field = draw(st.sampled_from(fields))
            start = end = field.start()
            put = field[0] + b","
        else:
            start = draw(st.integers(0, len(text)))
            end = start + draw(st.sampled_from([0, 0, 1, 2, 4]))
            put = draw(PIECES | st.just(b""))
        text = text[:start] + put + text[end:]
    return text


def check_alike(text: bytes, catalogue: Catalogue) -> None:
    quick, slow = (outcome(reader, text, catalogue) for reader in (read_facts, explained))
    if quick != slow:
        assert isinstance(quick, Facts)
        assert not isinstance(slow, Facts)
        assert any(words in slow[1] for words in OF_COPIES), slow


@given(free_states(), st.data())
def test_damaged_document_is_read_alike(state: State, data: st.DataObject) -> None:
    check_alike(data.draw(damaged(data.draw(texts(state)))), cards_of(state))


@given(st.sampled_from(VECTORS), st.data())
def test_damaged_vector_is_read_alike(vector: Any, data: st.DataObject) -> None:
    (document,) = vector.values
    check_alike(data.draw(damaged(json.dumps(document).encode())), default_catalogue())


def test_facts_of_copies_are_for_the_deal_to_refuse(catalogue: Catalogue) -> None:
    text = PLAIN.replace("34, 56", "34, 34").replace("ff8", "triplecargo").encode()
    facts = read_facts(text, catalogue)
    assert facts.hands[0] == (34, 34, 78, 90)
    with pytest.raises(StateError, match="five different|copies|each card once"):
        explained(text, catalogue)


def with_text(old: str, new: str) -> bytes:
    assert PLAIN.count(old) == 1, old
    return PLAIN.replace(old, new).encode()


# By what is wrong or odd; the explaining reader's words, or None where it accepts the document.
TWICE = {
    "top level": (with_text('"turn": 1', '"turn": 1, "turn": 1'), "the field turn twice"),
    "board": (with_text('"board": [{', '"board": [], "board": [{'), "the field board twice"),
    "cell": (with_text('"cell": 0', '"cell": 0, "cell": 0'), "the field cell twice"),
    "element": (with_text('"element": "F"', '"element": "F", "element": "F"'), "element twice"),
    "rules": (with_text('"same": false', '"same": false, "same": false'), "the field same twice"),
    "hands": (with_text('"A": [', '"A": [1], "A": ['), "the field A twice"),
    "escaped": (with_text('"turn": 1', '"turn": 1, "\\u0074urn": 1'), "the field turn twice"),
}
WRONG = {
    "unknown field": (with_text('"turn"', '"extra": 1, "turn"'), "extra: .* only the fields"),
    "unknown field of a cell": (with_text('"cell": 0', '"cell": 0, "x": 1'), r"board\[0\]\.x"),
    "unknown rule": (with_text('"same"', '"random": true, "same"'), r"rules\.random"),
    "unknown hand": (with_text('"B": [', '"C": [], "B": ['), r"hands\.C"),
    "label": (with_text('"turn"', '"game_id": 7, "turn"'), None),
    "byte order mark": (b"\xef\xbb\xbf" + PLAIN.encode(), None),
    "other encoding": (PLAIN.encode("utf-16"), None),
    "turn wrong": (with_text('"turn": 1', '"turn": 2'), "turn: found 2; allowed: 1"),
    "turn true": (with_text('"turn": 1', '"turn": true'), "turn: found true"),
    "turn with a fraction": (with_text('"turn": 1', '"turn": 1.0'), "turn: found 1.0"),
    "turn null": (with_text('"turn": 1', '"turn": null'), "turn: found null"),
    "turn a string": (with_text('"turn": 1', '"turn": "1"'), 'turn: found "1"'),
    "card with a fraction": (with_text("[34", "[34.0"), r"hands\.A\[0\]: found 34.0"),
    "card true": (with_text('"card_id": 12', '"card_id": true'), r"board\[0\]\.card_id"),
    "card with an exponent": (with_text("[34", "[34e0"), r"hands\.A\[0\]: found 34.0"),
    "card of many digits": (with_text("[34", "[" + "9" * 30), "30 digits"),
    "card without owner": (with_text('"owner": "A"', '"owner": null'), "as the cell has a card"),
    "owner without card": (with_text('"card_id": 12', '"card_id": null'), "the cell has no card"),
    "unknown id": (with_text("[34", "[111"), r"hands\.A\[0\]: found 111"),
    "unknown id on the board": (with_text('"card_id": 12', '"card_id": 999'), "found 999"),
    "id zero": (with_text("[34", "[0"), r"hands\.A\[0\]: found 0"),
    "cell twice": (with_text('"cell": 8', '"cell": 7'), "found 7; allowed: .* each cell once"),
    "cell beyond": (with_text('"cell": 8', '"cell": 9'), "found 9; allowed: 0 to 8"),
    "elements that disagree": (with_text('ts": ["F"', 'ts": ["I"'), "F, as in the cell"),
    "eight elements": (with_text('ts": ["F", ', 'ts": ['), "a list of nine"),
    "unknown element": (with_text('"element": "F"', '"element": "X"'), 'found "X"'),
    "unknown variant": (with_text('"ff8"', '"ff9"'), r'rules\.variant: found "ff9"'),
    "switch a number": (with_text('"same": false', '"same": 0'), r"rules\.same: found 0"),
    "rules null": (with_text('"same": false, "variant": "ff8"}', '"same": null}'), r"rules\.same"),
    "six cards in a hand": (with_text("66]", "66, 67]"), "at most five card ids"),
    "four cards in a hand": (with_text(", 66]", "]"), "hands: found A 4, B 4; allowed"),
    "hands exchanged": (with_text('"to_move": "B"', '"to_move": "A"'), "who holds more cards"),
    "no such player": (with_text('"to_move": "B"', '"to_move": "C"'), 'to_move: found "C"'),
    "field missing": (with_text('"to_move": "B", ', ""), "to_move: found nothing"),
    "no object": (b"[]", "an object"),
    "nothing": (b"", "one JSON value"),
    "trailing garbage": (PLAIN.encode() + b"x", "one JSON value"),
    "second document": (PLAIN.encode() * 2, "one JSON value"),
    "byte that is no text": (with_text('"ff8"', '"ff8é"').replace(b"\xc3", b"\xff"), "JSON"),
    "nested deep": (b"[" * DEEP + b"]" * DEEP, "one JSON value"),
} | {f"a field twice: {where}": case for where, case in TWICE.items()}


def test_table_is_about_one_change_each(catalogue: Catalogue) -> None:
    """Else each document of it might be odd for another reason than it says."""
    assert _plain_facts(PLAIN.encode(), catalogue) == explained(PLAIN.encode(), catalogue)


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_wrong_or_odd_document_is_left_to_the_explaining_reader(
    text: bytes, message: str | None, catalogue: Catalogue
) -> None:
    assert _plain_facts(text, catalogue) is None
    if message is None:
        assert read_facts(text, catalogue) == explained(text, catalogue)
    else:
        with pytest.raises(StateError, match=message) as quick:
            read_facts(text, catalogue)
        assert (type(quick.value).__name__, str(quick.value)) == outcome(explained, text, catalogue)


@pytest.mark.parametrize(("text", "message"), TWICE.values(), ids=TWICE)
def test_reader_that_keeps_the_last_of_two_fields_is_found_out(
    text: bytes, message: str, catalogue: Catalogue
) -> None:
    """A twin broken on purpose: what the other tests compare can differ."""
    kept = outcome(forgiving, text, catalogue)
    assert isinstance(kept, Facts)
    refused = outcome(read_facts, text, catalogue)
    assert refused != kept
    assert message in str(refused)


@pytest.mark.parametrize("indent", [None, 1])
def test_every_proper_prefix_is_no_json(indent: int | None, catalogue: Catalogue) -> None:
    text = json.dumps(ELEMENTAL, indent=indent).encode()
    for length in range(len(text)):
        assert _plain_facts(text[:length], catalogue) is None
        with pytest.raises(NotJsonError):
            read_facts(text[:length], catalogue)


@given(free_states())
def test_encoded_state_reads_back(state: State) -> None:
    text = encode(state_object(state.facts))
    assert read_facts(text, cards_of(state)) == state.facts
    assert json.loads(text) == state_to_dict(state)


@given(strategies.rules)
def test_rules_are_written_with_all_five_fields(rules: Rules) -> None:
    written = rules_to_dict(rules)
    assert list(written) == [*SWITCHES, "variant"]
    assert Rules.of([name for name in SWITCHES if written[name]], rules.variant) == rules
    assert Variant(written["variant"]) is rules.variant


@given(strategies.rules, st.booleans(), st.booleans())
def test_sudden_death_and_open_are_written_when_they_are_on(
    rules: Rules, sudden_death: bool, is_open: bool
) -> None:
    written = rules_to_dict(rules._replace(sudden_death=sudden_death, open=is_open))
    beyond = {name: on for name, on in written.items() if name in ("sudden_death", "open")}
    expected = {"sudden_death": sudden_death, "open": is_open}
    assert beyond == {name: on for name, on in expected.items() if on}


def batch_of(*items: str) -> bytes:
    return ('{"states": [' + ", ".join(items) + "]}").encode()


@pytest.mark.parametrize(
    "items",
    [
        [],
        ["1"],
        ['"],[{}\\",:"', "[]", '"\\\\"', '{"]": "}", "a": [1, 2]}', '"\\u005d"'],
        ["[[1, 2], [3, [4]]]", "{}", '{"states": [1, 2]}', '"states"'],
        ["nonsense", "1 2", '{"a" 1}', "'"],
    ],
)
def test_batch_is_split_into_its_items(items: list[str]) -> None:
    expected = [item.encode() for item in items]
    assert split_list(batch_of(*items), "states") == expected
    spaced = b' \n{\t"states"\r: [ ' + b" \n,\t".join(expected) + b" ]\n} \n"
    assert split_list(spaced, "states") == expected


def test_item_nested_deep_is_split_off() -> None:
    deep = "[" * DEEP + "]" * DEEP
    assert split_list(batch_of("1", deep, "2"), "states") == [b"1", deep.encode(), b"2"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        '{"others": [1]}',
        '{"states": 1}',
        '{"states": {"a": [1]}}',
        '{"states": [1]',
        '{"states": [1}',
        '{"states": [1]} x',
        '{"states": [1], "more": 1}',
        '{"states": [1], "more": [1]}',
        '{"states": [1], "states": [2]}',
        '{"more": 1, "states": [1]}',
        '{"states": [1]} {"states": [2]}',
        '{"states": [1,]}',
        '{"states": [,1]}',
        '{"states": [1,,2]}',
        '{"states": [,]}',
        '{"states": [[1]}',
        '{"states": [1]]}',
    ],
)
def test_text_that_is_no_batch_is_not_split(text: str) -> None:
    assert split_list(text.encode(), "states") is None


@given(st.lists(json_values), st.none() | st.integers(0, 2), st.booleans())
def test_split_items_are_what_was_written(
    items: list[Any], indent: int | None, is_ascii: bool
) -> None:
    text = json.dumps({"states": items}, indent=indent, ensure_ascii=is_ascii)
    split = split_list(text.encode("utf-8", "surrogatepass"), "states")
    assert split is not None
    assert [json.loads(item.decode("utf-8", "surrogatepass")) for item in split] == items

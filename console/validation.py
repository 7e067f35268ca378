"""What pydantic finds wrong with a parameter or an option, in the words of our own checks."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic_core import ErrorDetails

from engine.errors import Problem

OURS = "ours"  # the name of an error that says what is allowed in our own words
# By pydantic's name of the error; in braces is what it says of the bound or the choice.
_ALLOWED = {
    "bool_parsing": "true or false",
    "enum": "{expected}",
    "float_parsing": "a number",
    "greater_than": "more than {gt}",
    "greater_than_equal": "{ge} or more",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of fewer digits",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
    "value_error": "{error}",
}
_UNKNOWN = "a value of another kind"
_CHOICE = "is not one of "  # between a value and its choices, as typer says it


def problems_of(errors: Iterable[ErrorDetails], prefix: int = 0) -> list[Problem]:
    """Return errors as problems; names of fields are without their first `prefix` parts."""
    return [
        Problem(".".join(map(str, item["loc"][prefix:])), item["input"], _allowed(item))
        for item in errors
    ]


def _allowed(item: ErrorDetails) -> str:
    if item["type"] == OURS:
        return item["msg"]
    context = {name: _plain(value) for name, value in item.get("ctx", {}).items()}
    words = _ALLOWED.get(item["type"], _UNKNOWN).format(**context).replace("'", "")
    _, is_choice, choices = words.partition(_CHOICE)
    return f"one of {choices.rstrip('.')}" if is_choice else words


def _plain(value: object) -> object:
    """Return a bound without its fraction, where that is nothing."""
    return int(value) if isinstance(value, float) and value.is_integer() else value

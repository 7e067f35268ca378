"""schemathesis: whatever fits the OpenAPI document, or does not, gets an answer that does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from tests.conftest import IS_JIT_OFF
from tests.servers import running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

EXAMPLES = 40
# A schema cannot say which cards make a state, and a batch answers wrong items one by one.
NOT_FOR_SCHEMAS = [positive_data_acceptance, negative_data_rejection]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none"), log_level="warning") as server:
        yield schemathesis.openapi.from_url(f"{server.url}/openapi.json")


def can_be_wrong(operation: dict[str, Any]) -> bool:
    """Tell whether a request can fail to fit; any text at all fits a text in a path."""
    schemas = [parameter["schema"] for parameter in operation.get("parameters", [])]
    return "requestBody" in operation or any(schema.get("type") != "string" for schema in schemas)


@pytest.mark.parametrize("mode", GenerationMode)
def test_answers_fit_the_document(api: Any, mode: GenerationMode) -> None:
    operations = [result.ok() for result in api.get_all_operations()]
    assert len(operations) >= 15
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not can_be_wrong(operation.definition.raw):
            continue

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case: Any) -> None:
            case.call_and_validate(excluded_checks=NOT_FOR_SCHEMAS)

        check()


def test_every_example_works(api: Any) -> None:
    url = api.location.removesuffix("/openapi.json")
    asked = 0
    for path, item in api.raw_schema["paths"].items():
        for method, operation in item.items():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    path = path.replace("{" + parameter["name"] + "}", str(parameter["example"]))
            content = operation.get("requestBody", {}).get("content", {})
            body = content["application/json"]["example"] if content else None
            assert httpx.request(method, url + path, json=body).status_code == 200
            asked += 1
    assert asked == 16

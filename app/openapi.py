"""Parts of the OpenAPI document that routes share."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from app.errors import PROBLEM_JSON, Kind
from app.examples import BODY_EXAMPLES, PARAMETER_EXAMPLES
from app.schemas import ProblemObject, model_schemas

API_VERSION = "1.0.0"
DESCRIPTION = (
    "Perfect play of Triple Triad. Changes to this API are additive: fields, routes and "
    "problem types may be added, none is removed or changes its meaning within a major version."
)


# The parameter of routes that read it themselves.
MOVES: dict[str, Any] = {
    "parameters": [
        {
            "name": "moves",
            "in": "query",
            "required": False,
            "description": "Also every legal move, best first",
            "schema": {"type": "boolean", "default": False},
        }
    ]
}


def body(model: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a request body that routes read themselves."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of the problems a route may answer with."""
    schema = {"$ref": f"#/components/schemas/{ProblemObject.__name__}"}
    return {
        status: {
            "description": "; ".join(kind.title for kind in Kind if kind.status == status),
            "content": {PROBLEM_JSON: {"schema": schema}},
        }
        for status in statuses
    }


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="Triadbase", version=API_VERSION, description=DESCRIPTION, routes=app.routes
        )
        schemas = made["components"]["schemas"]
        schemas |= model_schemas()
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        for path, item in made["paths"].items():
            for operation in item.values():
                _complete(path, operation)
        app.openapi_schema = made
    return app.openapi_schema


def _complete(path: str, operation: dict[str, Any]) -> None:
    """Add the examples, and describe what FastAPI finds wrong as the problem we make of it.

    Examples come last, because FastAPI takes nulls out of what it is given.
    """
    if "422" in operation["responses"]:
        operation["responses"]["422"] = problems(422)[422]
    if path in BODY_EXAMPLES:
        operation["requestBody"]["content"]["application/json"]["example"] = BODY_EXAMPLES[path]
    for parameter in operation.get("parameters", []):
        if parameter["name"] in PARAMETER_EXAMPLES:
            parameter["example"] = PARAMETER_EXAMPLES[parameter["name"]]

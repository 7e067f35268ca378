"""The OpenAPI document: FastAPI's routes, the hot ones, and all types of the JSON."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app.examples import BODY_EXAMPLES, PARAMETER_EXAMPLES
from app.hot import HotRoutes, paths, problem
from app.schemas import components

API_VERSION = "1.4.0"
DESCRIPTION = (
    "Perfect play of Triple Triad. Changes to this API are additive: fields, routes and "
    "problem types may be added, none is removed or changes its meaning within a major version."
)


def document(app: FastAPI, hot: HotRoutes) -> dict[str, Any]:
    """Return the OpenAPI document, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="Triadbase",
            version=API_VERSION,
            description=DESCRIPTION,
            routes=app.routes,
        )
        made["paths"] = paths(hot) | made["paths"]
        made["components"]["schemas"] = _used(made["components"]["schemas"]) | components()
        for path, item in made["paths"].items():
            for operation in item.values():
                _complete(path, operation)
        app.openapi_schema = made
    return app.openapi_schema


def _used(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return FastAPI's own schemas, which parameters refer to, without those of its errors."""
    return {name: schema for name, schema in schemas.items() if "ValidationError" not in name}


def _complete(path: str, operation: dict[str, Any]) -> None:
    """Add the examples, and describe what FastAPI finds wrong as the problem we make of it.

    Examples come last, because FastAPI takes nulls out of what it is given.
    """
    if "422" in operation["responses"]:
        operation["responses"]["422"] = problem(422)
    if path in BODY_EXAMPLES:
        operation["requestBody"]["content"]["application/json"]["example"] = BODY_EXAMPLES[path]
    for parameter in operation.get("parameters", []):
        if parameter["name"] in PARAMETER_EXAMPLES:
            parameter["example"] = PARAMETER_EXAMPLES[parameter["name"]]

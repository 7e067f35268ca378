"""Every error of the service: which problem it is, with what status, and how it is logged.

Problems are RFC 9457 objects (application/problem+json):

    {"type": "urn:triadbase:problem:invalid", "title": "...", "status": 422,
     "detail": "...", "instance": "/eval", "request_id": "...",
     "errors": [{"field": "to_move", "found": "'C'", "allowed": "A or B"}]}
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import orjson
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from engine.errors import InputError, MoveError, Problem, TriadError, shown

PROBLEM_JSON = "application/problem+json"
URN = "urn:triadbase:problem:"
RETRY_SECONDS = 1


class Kind(Enum):
    """A kind of problem: name, status, title."""

    INVALID = ("invalid", 422, "What was sent describes nothing that can be")
    NOT_JSON = ("not-json", 400, "The body is not JSON")
    ILLEGAL_MOVE = ("illegal-move", 422, "The move is not legal here")
    NOT_FOUND = ("not-found", 404, "There is nothing here")
    METHOD = ("method-not-allowed", 405, "This route does not take that method")
    TOO_LARGE = ("too-large", 413, "The request is larger than allowed")
    MEDIA_TYPE = ("unsupported-media-type", 415, "The body must be application/json")
    STARTING = ("starting", 503, "The service is starting or going away")
    BUSY = ("busy", 503, "Too many searches are waiting")
    TIME_LIMIT = ("time-limit", 503, "The search did not end within the time limit")
    BAD_REQUEST = ("bad-request", 400, "The request cannot be understood")
    INTERNAL = ("internal", 500, "Something went wrong here; the log has it under the request id")

    def __init__(self, slug: str, status: int, title: str) -> None:
        """Keep the parts."""
        self.slug, self.status, self.title = slug, status, title

    @property
    def urn(self) -> str:
        """Return the problem's type."""
        return URN + self.slug


class ServiceError(TriadError):
    """A request that cannot be answered as asked."""

    def __init__(self, kind: Kind, detail: str, problems: Sequence[Problem] = ()) -> None:
        """Say what kind of problem it is, and the details."""
        super().__init__(detail)
        self.kind, self.detail, self.problems = kind, detail, problems


def as_service_error(error: Exception) -> ServiceError:
    """Return what an error is to whoever asked."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, InputError):
        kind = Kind.ILLEGAL_MOVE if isinstance(error, MoveError) else Kind.INVALID
        return ServiceError(kind, str(error), error.problems)
    if isinstance(error, RequestValidationError):
        problems = [
            Problem(".".join(map(str, item["loc"][1:])), item.get("input"), item["msg"])
            for item in error.errors()
        ]
        return ServiceError(Kind.INVALID, "; ".join(map(str, problems)), problems)
    if isinstance(error, ClientDisconnect):
        return ServiceError(Kind.BAD_REQUEST, "the client went away before its body was whole")
    if isinstance(error, HTTPException):
        kinds = {404: Kind.NOT_FOUND, 405: Kind.METHOD, 413: Kind.TOO_LARGE}
        return ServiceError(kinds.get(error.status_code, Kind.BAD_REQUEST), str(error.detail))
    return ServiceError(Kind.INTERNAL, "an internal error")


def problem_dict(error: ServiceError, instance: str, request_id: str) -> dict[str, Any]:
    """Return the problem object of an error."""
    body: dict[str, Any] = {
        "type": error.kind.urn,
        "title": error.kind.title,
        "status": error.kind.status,
        "detail": error.detail,
        "instance": instance,
        "request_id": request_id,
    }
    if error.problems:
        body["errors"] = [
            {"field": problem.field, "found": shown(problem.found), "allowed": problem.allowed}
            for problem in error.problems
        ]
    return body


def problem_response(
    error: ServiceError, instance: str, request_id: str, headers: dict[str, str] | None = None
) -> Response:
    """Return the response of an error."""
    headers = dict(headers or {})
    if error.kind.status == Kind.BUSY.status:
        headers["Retry-After"] = str(RETRY_SECONDS)
    content = orjson.dumps(problem_dict(error, instance, request_id))
    return Response(content, error.kind.status, headers, PROBLEM_JSON)

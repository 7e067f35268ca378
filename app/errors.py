r"""Every error of the service: which problem it is, with what status, and how it is logged.

Problems are RFC 9457 objects (application/problem+json):

    {"type": "urn:triadbase:problem:invalid", "title": "...", "status": 422,
     "detail": "...", "instance": "/eval", "request_id": "...",
     "errors": [{"field": "to_move", "found": "\"C\"", "allowed": "A or B"}]}
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from fastapi.exceptions import RequestValidationError
from msgspec import UNSET
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from app.schemas import FieldError, ProblemObject
from console.validation import problems_of
from engine.errors import InputError, MoveError, Problem, TriadError, shown

PROBLEM_JSON = "application/problem+json"
URN = "urn:triadbase:problem:"
RETRY_SECONDS = 1


class Kind(Enum):
    """A kind of problem: name, status, title."""

    INVALID = ("invalid", 422, "The request is not valid")
    NOT_JSON = ("not-json", 400, "The body is not JSON")
    ILLEGAL_MOVE = ("illegal-move", 422, "The move is not legal in this state")
    NOT_FOUND = ("not-found", 404, "Not found")
    METHOD = ("method-not-allowed", 405, "This route does not take that method")
    TOO_LARGE = ("too-large", 413, "The request is larger than allowed")
    MEDIA_TYPE = ("unsupported-media-type", 415, "The body must be application/json, plain or gzip")
    ADDRESS = ("address-too-long", 414, "The address is longer than allowed")
    HEADERS = ("headers-too-large", 431, "The headers are larger than allowed")
    TIMEOUT = ("request-timeout", 408, "The request did not arrive whole in time")
    STARTING = ("starting", 503, "The service is starting or shutting down")
    BUSY = ("busy", 503, "Too many searches are waiting")
    CONNECTIONS = ("too-many-connections", 503, "Too many connections are open")
    TIME_LIMIT = ("time-limit", 503, "The search did not end within the time limit")
    CLIENT_GONE = ("client-gone", 499, "The client went away before its request was whole")
    BAD_REQUEST = ("bad-request", 400, "The request cannot be understood")
    INTERNAL = ("internal", 500, "Internal error; the log has it under the request id")

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
        return about_body(error) if error.kind is Kind.NOT_JSON else error
    if isinstance(error, InputError):
        kind = Kind.ILLEGAL_MOVE if isinstance(error, MoveError) else Kind.INVALID
        return ServiceError(kind, str(error), error.problems)
    if isinstance(error, RequestValidationError):
        problems = problems_of(error.errors(), prefix=1)  # "query", "path"
        return ServiceError(Kind.INVALID, "; ".join(map(str, problems)), problems)
    if isinstance(error, ClientDisconnect):
        return ServiceError(Kind.CLIENT_GONE, "nobody reads this")
    if isinstance(error, HTTPException):
        return of_router(error)
    return ServiceError(Kind.INTERNAL, "an internal error")


def wrong_request(field: str, found: object, allowed: str) -> ServiceError:
    """Return the error of a request of which one thing is wrong before it is looked at."""
    problem = Problem(field, found, allowed)
    return ServiceError(Kind.BAD_REQUEST, str(problem), [problem])


def going_away() -> ServiceError:
    """Return the error of who asks while the service ends."""
    return ServiceError(Kind.STARTING, "the service is shutting down")


def about_body(error: ServiceError) -> ServiceError:
    """Return the error of a body that is no JSON with the body named, whatever it was read for."""
    problems = [problem._replace(field="body") for problem in error.problems]
    return ServiceError(error.kind, "; ".join(map(str, problems)), problems)


def of_router(error: HTTPException) -> ServiceError:
    """Return what the router found wrong: a path that nothing is at, a method it does not take."""
    if error.status_code == Kind.NOT_FOUND.status:
        return ServiceError(Kind.NOT_FOUND, "nothing is at this path; /docs lists the routes")
    if error.status_code == Kind.METHOD.status:
        allowed = (error.headers or {}).get("Allow", "GET")  # files do not say
        return ServiceError(Kind.METHOD, f"allowed: {allowed}")
    return ServiceError(Kind.BAD_REQUEST, str(error.detail))


def problem_object(error: ServiceError, instance: str, request_id: str) -> ProblemObject:
    """Return the problem object of an error."""
    errors = [
        FieldError(problem.field, shown(problem.found), problem.allowed)
        for problem in error.problems
    ]
    kind = error.kind
    return ProblemObject(
        kind.urn, kind.title, kind.status, error.detail, instance, request_id, errors or UNSET
    )

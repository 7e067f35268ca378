"""The one layer around everything: hot routes are answered here, the others passed on.

Plain ASGI, because each layer costs every request.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import Kind, ServiceError, going_away
from app.exchange import Exchange, Policy, Reply, with_head
from app.hot import HotRoutes

PREFLIGHT = [
    (b"access-control-allow-methods", b"GET, HEAD, POST, OPTIONS"),
    (
        b"access-control-allow-headers",
        b"Content-Encoding, Content-Type, If-None-Match, X-Request-ID",
    ),
    (b"access-control-max-age", b"86400"),
]
GET, HEAD = "GET", "HEAD"


class Surround:
    """The layer."""

    def __init__(self, app: ASGIApp, hot: HotRoutes, policy: Policy) -> None:
        """Answer hot routes from `hot`, all others from `app`."""
        self.app, self.hot, self.policy = app, hot, policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(self.policy, scope, send)
        try:
            await self._answer(exchange, scope, receive)
        except asyncio.CancelledError:  # uvicorn waits no longer for what it drains
            await self._tell(exchange, going_away())
        except Exception as error:  # noqa: BLE001  every error is answered
            await self._tell(exchange, error)
        finally:
            exchange.note()

    async def _tell(self, exchange: Exchange, error: Exception) -> None:
        """Answer with an error's problem; where an answer has begun, only count and log it.

        An error that FastAPI has answered is raised again, and is nothing new.
        """
        if error is exchange.told:
            return
        reply = exchange.problem(error)
        if not exchange.status:
            await exchange.reply(reply)

    async def _answer(self, exchange: Exchange, scope: Scope, receive: Receive) -> None:
        exchange.check()
        if exchange.is_preflight:
            await exchange.reply(Reply(b"", 204, headers=PREFLIGHT))
            return
        route = self.hot.find(scope["path"])
        method = scope["method"]
        if route is None:
            await self._pass_on(exchange, scope, receive)
            return
        exchange.route = route.path
        if method != route.method and (method, route.method) != (HEAD, GET):
            allowed = with_head(route.method)
            error = ServiceError(Kind.METHOD, f"found {method}; allowed: {allowed}")
            reply = exchange.problem(error)
            await exchange.reply(reply._replace(headers=[(b"allow", allowed.encode())]))
            return
        await exchange.reply(await route.answer(exchange, receive))

    async def _pass_on(self, exchange: Exchange, scope: Scope, receive: Receive) -> None:
        """Have FastAPI answer; HEAD as GET, whose body the server leaves out."""
        scope["exchange"] = exchange
        asked = {**scope, "method": GET} if scope["method"] == HEAD else scope
        try:
            await self.app(asked, exchange.limited(receive), exchange.send)
        finally:
            scope["route"] = asked.get("route")

"""The one layer around everything: hot routes are answered here, the others passed on.

Plain ASGI, because each layer costs every request.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import Kind, ServiceError, as_service_error
from app.exchange import Exchange, Policy, Reply
from app.hot import HotRoutes

PREFLIGHT = [
    (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
    (b"access-control-allow-headers", b"Content-Type, If-None-Match, X-Request-ID"),
    (b"access-control-max-age", b"86400"),
]


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
        except Exception as error:
            if not exchange.status:
                await exchange.reply(exchange.problem(error))
            elif as_service_error(error).kind is not Kind.INTERNAL:
                raise
        finally:
            exchange.note()

    async def _answer(self, exchange: Exchange, scope: Scope, receive: Receive) -> None:
        if exchange.is_preflight:
            await exchange.reply(Reply(b"", 204, headers=PREFLIGHT))
            return
        exchange.check_size()
        route = self.hot.find(scope["path"])
        if route is None:
            scope["exchange"] = exchange
            await self.app(scope, exchange.limited(receive), exchange.send)
            return
        exchange.route = route.path
        if scope["method"] != route.method:
            error = ServiceError(Kind.METHOD, f"found {scope['method']}; allowed: {route.method}")
            reply = exchange.problem(error)
            await exchange.reply(reply._replace(headers=[(b"allow", route.method.encode())]))
            return
        await exchange.reply(await route.answer(exchange, receive))

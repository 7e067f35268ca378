"""`triad serve`: the service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from app.settings import Settings, load_settings, parse_origins
from engine.game.cards import load_cards


def setting(name: str) -> Any:
    """Return the option of a setting of the service."""
    field = Settings.model_fields[name]
    shown = field.get_default(call_default_factory=True)
    text = ",".join(shown) if isinstance(shown, list) else str(shown)
    return typer.Option(help=f"{field.description}.", show_default=text)


def serve_command(  # noqa: PLR0913  one parameter for each setting
    *,
    host: Annotated[str | None, setting("host")] = None,
    port: Annotated[int | None, setting("port")] = None,
    workers: Annotated[int | None, setting("workers")] = None,
    db: Annotated[Path | None, setting("db")] = None,
    cards: Annotated[Path | None, setting("cards")] = None,
    solver_threads: Annotated[int | None, setting("solver_threads")] = None,
    queue: Annotated[int | None, setting("queue")] = None,
    time_limit: Annotated[float | None, setting("time_limit")] = None,
    advice_threads: Annotated[int | None, setting("advice_threads")] = None,
    advice_queue: Annotated[int | None, setting("advice_queue")] = None,
    advice_seconds: Annotated[float | None, setting("advice_seconds")] = None,
    answers_kept: Annotated[int | None, setting("answers_kept")] = None,
    blocks_kept: Annotated[int | None, setting("blocks_kept")] = None,
    body_limit: Annotated[int | None, setting("body_limit")] = None,
    header_limit: Annotated[int | None, setting("header_limit")] = None,
    client_seconds: Annotated[float | None, setting("client_seconds")] = None,
    keep_alive_seconds: Annotated[float | None, setting("keep_alive_seconds")] = None,
    connections: Annotated[int | None, setting("connections")] = None,
    batch_limit: Annotated[int | None, setting("batch_limit")] = None,
    poll_seconds: Annotated[float | None, setting("poll_seconds")] = None,
    drain_seconds: Annotated[int | None, setting("drain_seconds")] = None,
    cors_origins: Annotated[str | None, setting("cors_origins")] = None,
    log_level: Annotated[str | None, setting("log_level")] = None,
    access_log: Annotated[bool | None, setting("access_log")] = None,
    slow_seconds: Annotated[float | None, setting("slow_seconds")] = None,
) -> None:
    """Serve answers over HTTP, from the database and by search.

    Example: triad serve --port 8000 --workers 2 --db data/db
    """
    given = {name: value for name, value in locals().items() if value is not None}
    from app.serve import bind, serve  # who asks for help does not wait for it

    if "cors_origins" in given:
        given["cors_origins"] = parse_origins(given["cors_origins"])
    settings = load_settings(given)
    load_cards(settings.cards)
    listener = bind(settings.host, settings.port)
    port = listener.getsockname()[1]
    typer.echo(f"triad: serving at http://{settings.host}:{port}", err=True)
    serve(settings, listener)

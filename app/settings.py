"""Settings of the service: the one place that reads the environment.

Each is a TRIAD_* variable, and an option of `triad serve` of the same name.
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from console.options import DEFAULT_DATABASE
from engine.errors import InputError, Problem
from engine.game.cards import CARD_FILE

PREFIX = "TRIAD_"


class SettingsError(InputError):
    """A setting has a value that it cannot have."""


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def default_threads() -> int:
    """Return one thread less than there are cores, so that hits find one free."""
    return max(1, (os.cpu_count() or 2) - 1)


class Settings(BaseSettings):
    """All that can be set."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True)

    host: str = Field(default="127.0.0.1", description="Address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on")
    workers: int = Field(default=1, ge=1, le=256, description="Processes that serve")
    db: Path = Field(
        default=DEFAULT_DATABASE,
        description=f"Folder of the database; several, joined by {os.pathsep}, are served as one",
    )
    cards: Path = Field(default=CARD_FILE, description="The card file")
    solver_threads: int = Field(
        default_factory=default_threads, ge=1, le=256, description="Searches at a time, per worker"
    )
    queue: int = Field(default=256, ge=0, description="Searches that may wait, per worker")
    time_limit: float = Field(default=10.0, gt=0, le=3600, description="Seconds a search may take")
    advice_threads: int = Field(
        default=1, ge=1, le=256, description="Requests for advice at a time, per worker"
    )
    advice_queue: int = Field(
        default=32, ge=0, description="Requests for advice that may wait, per worker"
    )
    advice_seconds: float = Field(
        default=10.0, gt=0, le=3600, description="Seconds advice may take, as estimated beforehand"
    )
    answers_kept: int = Field(default=10_000, ge=0, description="Searched answers kept, per worker")
    blocks_kept: int = Field(
        default=1024, ge=1, description="Decoded blocks kept, about 50 KB each"
    )
    body_limit: int = Field(
        default=2_000_000, ge=1000, description="Largest request body, in bytes"
    )
    header_limit: int = Field(
        default=32_768, ge=1000, le=65_535, description="Longest address and headers, in bytes"
    )
    client_seconds: float = Field(
        default=30.0,
        gt=0,
        le=3600,
        description="Seconds a client may take to send a request, and to take its answer",
    )
    keep_alive_seconds: float = Field(
        default=15.0, gt=0, le=3600, description="Seconds a connection may be idle"
    )
    connections: int = Field(default=1000, ge=1, description="Most connections, per worker")
    batch_limit: int = Field(default=1000, ge=1, le=100_000, description="Most states in a batch")
    poll_seconds: float = Field(
        default=2.0, gt=0, description="How often a new database is looked for"
    )
    drain_seconds: int = Field(
        default=10, ge=0, description="How long a shutdown waits for requests"
    )
    cors_origins: Annotated[list[str], NoDecode] = Field(
        default=["*"], description="Origins whose pages may ask, joined by commas"
    )
    log_level: LogLevel = Field(default=LogLevel.INFO, description="debug, info, warning or error")
    access_log: bool = Field(
        default=False, description="Log every request, not only failed and slow ones"
    )
    slow_seconds: float = Field(
        default=1.0, gt=0, description="A request that takes so long is logged"
    )

    @property
    def folders(self) -> list[Path]:
        """Return the folders of the databases that are served as one."""
        return [Path(folder) for folder in str(self.db).split(os.pathsep)]

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return parse_origins(value) if isinstance(value, str) else value


def parse_origins(text: str) -> list[str]:
    """Return origins that are joined by commas."""
    return [item.strip() for item in text.split(",") if item.strip()]


def load_settings(given: dict[str, Any]) -> Settings:
    """Return the settings: what is given, else the environment, else the defaults.

    Raises `SettingsError` with one problem for each that is wrong.
    """
    try:
        return Settings(**given)
    except ValidationError as error:
        raise SettingsError(
            [
                Problem(str(item["loc"][0]), item["input"], item["msg"].lower())
                for item in error.errors()
            ]
        ) from error

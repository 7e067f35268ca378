"""The Dockerfile and the compose file agree with each other and with the code.

Nothing is built here: `make image-test` and `make compose-test` do that.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.settings import PREFIX, Settings
from app.worker import GRACE_SECONDS
from console.options import DEFAULT_DATABASE
from tests.commands import command

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
LOCKS = ("requirements.lock", "requirements-cluster.lock")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def said(instruction: str) -> str:
    """Return what the last instruction of a kind says, as it stands in the Dockerfile."""
    last: str = re.findall(rf"^{instruction} (.+)$", DOCKERFILE, re.MULTILINE)[-1]
    return last


def environment() -> dict[str, str]:
    """Return the environment of the last stage."""
    return dict(word.split("=", 1) for word in said("ENV").split())


@pytest.mark.parametrize("name", SERVICES)
def test_container_may_do_nothing_it_need_not(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


@pytest.mark.parametrize("name", SERVICES)
def test_command_and_its_options_exist(name: str) -> None:
    program, *arguments = SERVICES[name]["command"]
    if program == "dask":
        line = [sys.executable, "-m", "dask", *arguments, "--help"]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
    else:
        done = command(program, *arguments, "--help")
    assert done.returncode == 0, done.stderr


def test_service_reads_the_volume_that_the_job_writes() -> None:
    place = environment()["TRIAD_DB"]
    assert SERVICES["service"]["volumes"] == [f"database:{place}:ro"]
    for name in ("precompute", "job"):
        assert SERVICES[name]["volumes"] == [f"database:{place}"]
    assert "database" in COMPOSE["volumes"]
    assert place == str(Path(said("WORKDIR")) / DEFAULT_DATABASE)  # where the job writes
    assert f"install --directory --owner=triad --group=triad {place}\n" in DOCKERFILE


def test_service_listens_on_the_port_that_is_published() -> None:
    port = environment()["TRIAD_PORT"]
    assert environment()["TRIAD_HOST"] == "0.0.0.0"
    assert said("EXPOSE") == port
    assert SERVICES["service"]["ports"] == [f"127.0.0.1:{port}:{port}"]


def test_service_is_not_killed_while_it_drains() -> None:
    patience = int(SERVICES["service"]["stop_grace_period"].removesuffix("s"))
    assert patience > Settings.model_fields["drain_seconds"].default + GRACE_SECONDS


def test_only_the_service_is_restarted_and_asked_for_its_health() -> None:
    assert SERVICES["service"]["restart"] == "unless-stopped"
    assert "healthcheck" not in SERVICES["service"]  # it is the image's
    assert "/readyz" in said("HEALTHCHECK")
    for name in ("precompute", "job"):
        assert "restart" not in SERVICES[name]
        assert SERVICES[name]["healthcheck"] == {"disable": True}


def test_cluster_is_a_profile_of_its_own_with_its_own_lock() -> None:
    of_cluster = {name for name, service in SERVICES.items() if "profiles" in service}
    assert of_cluster == {"scheduler", "worker", "job"}
    for name in of_cluster:
        lock = SERVICES[name]["build"]["args"]["LOCK"]
        assert "distributed==" in (ROOT / lock).read_text(encoding="utf-8")
        assert "ports" not in SERVICES[name]
    for name in ("worker", "job"):
        assert "tcp://scheduler:8786" in SERVICES[name]["command"]


def test_every_setting_reaches_the_service() -> None:
    settled = {"host", "port", "db", "cards"}  # by the image
    names = [PREFIX + name.upper() for name in Settings.model_fields if name not in settled]
    assert SERVICES["service"]["environment"] == names


def test_image_does_not_run_as_root() -> None:
    user = said("USER")
    assert int(user) > 0
    assert f"--uid {user} " in DOCKERFILE


def test_image_does_not_wait_for_the_tests() -> None:
    assert said("FROM") == "base AS runtime"
    assert "--from=test" not in DOCKERFILE


def test_image_has_the_version_of_the_project() -> None:
    version = PROJECT["project"]["version"]
    assert f'org.opencontainers.image.version="{version}"' in DOCKERFILE


def test_everything_the_wheel_is_made_of_reaches_the_build() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    for path in [*wheel["packages"], *wheel["force-include"], "LICENSE", *LOCKS]:
        assert f"!{path}" in ignored


@pytest.mark.skipif(not shutil.which("docker-compose"), reason="needs docker-compose")
def test_compose_file_is_one() -> None:
    done = subprocess.run(
        ["docker-compose", "config", "--quiet"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")

# Everything here needs Python 3.11 to 3.13 and make, nothing else: each target
# makes the virtual environment it runs in. `make help` lists the targets.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PACKAGES := advise app console engine learn precompute store work triad.py
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help serve test test-slow test-bounds image-test compose-test check audit cover bench attack screenshots lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Where there is no database yet, the demonstration one is built beside the service, which
# takes it over when it is done; who stops the service before that stops the job too.
serve: $(VENV)/.runtime ## set up and serve at http://127.0.0.1:8000
	@if ! test -e data/db/CURRENT; then \
	  nice $(BIN)/precompute --demo --resume & trap "kill $$! 2>/dev/null || :" EXIT; \
	fi; $(BIN)/triad serve $(ARGS)

# A file of tests stays on one core: its servers and databases are shared.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile

test: $(VENV)/.dev ## set up and run the tests
	$(PYTEST) $(ARGS)

test-slow: $(VENV)/.dev ## the exhaustive checks as well
	$(PYTEST) -m "slow or not slow" $(ARGS)

test-bounds: $(VENV)/.dev ## the tests with every array access checked
	NUMBA_BOUNDSCHECK=1 $(PYTEST) $(ARGS)

# Needs Linux, root, buildah and debootstrap; no Docker engine, no image registry.
image-test: $(VENV)/.dev ## build the image without an engine, run it and ask it
	$(BIN)/python -m pytest tests/image/checks.py $(ARGS)

# Needs Linux, root, dockerd, docker compose, iptables and debootstrap; no image registry.
compose-test: $(VENV)/.dev ## docker compose up on an engine of its own; a cluster too
	$(BIN)/python -m pytest -rsP tests/image/compose.py $(ARGS)

check: $(VENV)/.dev ## lint, format, types, imports, repetition, vulnerabilities
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pylint $(PACKAGES)
	@$(MAKE) --no-print-directory audit

audit: $(VENV)/.dev ## known vulnerabilities of what is locked
	@$(BIN)/python -m tests.audit requirements.lock

# The compiler hides its kernels from the measuring, so it is off: a hundred times slower.
cover: $(VENV)/.dev ## coverage of engine and store, with the JIT off; fails below its limits
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest --quiet --numprocesses auto tests/engine tests/store $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/python -m tests.coverage_gate

bench: $(VENV)/.dev ## speed, absolute and relative to a calibration loop
	$(BIN)/python -m tests.bench $(ARGS)

attack: $(VENV)/.dev ## a hostile client against a real server, for a minute
	$(BIN)/python -m tests.attack $(ARGS)

screenshots: $(VENV)/.dev ## the pictures in docs/images, taken of the page with Chromium
	$(BIN)/python -m tests.screenshots

LOCK_FLAGS := --quiet $(UPGRADE) --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

lock: $(VENV)/bin/python ## pin what pyproject asks for; UPGRADE=--upgrade: in the newest allowed versions
	$(PIP) install uv
	$(BIN)/uv pip compile $(LOCK_FLAGS) pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile $(LOCK_FLAGS) pyproject.toml --extra cluster -c requirements.lock -o requirements-cluster.lock
	$(BIN)/uv pip compile $(LOCK_FLAGS) pyproject.toml --group dev --extra cluster --extra parquet -c requirements.lock -o requirements-dev.lock

clean: ## remove the virtual environment and what tools left behind
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>&1); Python 3.11 to 3.13 is needed (make PYTHON=python3.12 ...)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# A stamp is as new as the last install of its lock file. Dependencies come from
# the lock, hash by hash; the project itself is then linked in without any.
$(VENV)/.runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

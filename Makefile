# `make run` starts the simulated cornet, `make test` checks everything; each does its own set-up.
# Names are relative and quoted, so that a path with spaces works.

PORT ?= 8421
DATA ?= data
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	"$$python" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
	&& echo "$$python" && break; done)
ASK_PIP = .venv/bin/python -m pip --disable-pip-version-check --no-input --quiet
LOCKED = --require-hashes --no-deps --only-binary :all:
PIP = $(ASK_PIP) install $(LOCKED)

.PHONY: run install test hardware lock clean

run: .venv/run
	@exec .venv/bin/cornet run --port "$(PORT)" --data "$(DATA)"

install: .venv/test

test: .venv/test
	@sh tests/browser.sh
	.venv/bin/python -m ruff check .
	.venv/bin/python -m ruff format --check .
	.venv/bin/python -m mypy
	OPENBLAS_NUM_THREADS=1 .venv/bin/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal

# The machine itself: drawings, models and their checks. The modelling program is large, so nothing else asks for it.
hardware: .venv/hardware
	@command -v dot >/dev/null || { echo "The picture of the wires needs Graphviz (on Debian: apt install graphviz)." >&2; exit 1; }
	.venv/bin/python -m hardware.electronics
	.venv/bin/wireviz -f s hardware/electronics/wiring.yml
	.venv/bin/python -m hardware.cad

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Cornet needs Python 3.11, 3.12 or 3.13 with venv (on Debian: apt install python3-venv); or name one: make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python pyproject.toml requirements.lock
	$(PIP) -r requirements.lock
	@$(MAKE) --no-print-directory .venv/cornet
	@touch .venv/run

.venv/install: .venv/run requirements-check.lock
	$(PIP) -r requirements-check.lock
	@touch .venv/install

# The camera module is read, never installed: it needs libcamera.
.venv/test: .venv/install requirements-test.lock requirements-camera.lock
	$(PIP) -r requirements-test.lock
	$(ASK_PIP) download $(LOCKED) --dest .venv/wheels -r requirements-camera.lock
	@touch .venv/test

.venv/hardware: .venv/run requirements-cad.lock
	$(PIP) -r requirements-cad.lock
	@touch .venv/hardware

.venv/cornet: pyproject.toml requirements-build.lock
	$(PIP) -r requirements-build.lock
	$(ASK_PIP) install --no-deps --no-build-isolation --editable .
	@touch .venv/cornet

# The versions that everybody gets. Addresses stay out: they differ from place to place.
LOCK = uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock" --quiet
LOCK_PI = uv pip compile --generate-hashes --no-annotate --custom-compile-command "make lock" --quiet --only-binary :all: --extra pi
lock:
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) pyproject.toml --extra check -c requirements.lock -o requirements-check.lock
	$(LOCK) pyproject.toml --extra test -c requirements-check.lock -o requirements-test.lock
	$(LOCK) pyproject.toml --extra cad -c requirements.lock -o requirements-cad.lock
	printf 'picamera2\n' | $(LOCK) - --no-deps --only-binary :all: -o requirements-camera.lock
	printf 'hatchling\neditables\n' | $(LOCK) - -c requirements-test.lock -o requirements-build.lock

	for system in bookworm:3.11:2_36 trixie:3.13:2_40; do \
		IFS=:; set -- $$system; unset IFS; \
		sed -n '/^numpy\|^opencv/d; s/^\([a-z0-9-]*==[^ ;]*\).*/\1/p' requirements.lock > hardware/$$1.pins && \
		$(LOCK_PI) --python-version $$2 --python-platform aarch64-manylinux_$$3 --override hardware/$$1.txt \
			-c hardware/$$1.pins pyproject.toml -o hardware/requirements-$$1.lock && rm hardware/$$1.pins; done

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache

# One command for each habit, the same on a laptop and in CI.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow mutate check format bench score docs clean

demo: $(READY)
	$(BIN)/python examples/demo/demo.py

test: $(READY)
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(READY)
	$(BIN)/python -m pytest -n 2 -m slow

mutate: $(READY)
	$(BIN)/policyc test bundles/* --mutate

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/policyc fmt bundles examples

bench: $(READY)
	$(BIN)/policyc bench

score: $(READY)
	$(BIN)/python -m policyc.score $(CORPUS)

docs: $(READY)
	$(BIN)/python -m policyc.source.catalogue > docs/diagnostics.md

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'policyc needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $(READY)

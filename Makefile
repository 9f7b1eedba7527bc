# Two commands: `make run` shows what LORI does, `make test` proves it. Each makes the environment if needed.
PYTHON ?= python3
BIN := .venv/bin
# Modules are compiled once, also where an image of a container says otherwise: tests start many commands.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check format test-slow fuzz docs clean

run: .venv/ready
	$(BIN)/lori demo --out out

test: check
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-slow: .venv/ready
	$(BIN)/python -m pytest -m slow -n 2 --dist loadfile --no-loadscope-reorder

fuzz: .venv/ready
	$(BIN)/python tools/fuzz.py --inputs 10000 --seed 0

docs: .venv/ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'Wrote the documentation: open site/index.html'

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/ready: pyproject.toml constraints.txt
	@echo 'Making the environment in .venv (once; one to three minutes) ...'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch .venv/ready

clean:
	rm -rf .venv out site build dist .pytest_cache .mypy_cache .ruff_cache

# Every target sets up what it needs on a fresh checkout. Name another interpreter with PYTHON=python3.13.
PY := .venv/bin/python
export PYTHON

.PHONY: help run test lint fix bench

help:
	@echo "make run    serve memroute (MEMROUTE_PORT=8001 make run for another port)"
	@echo "make test   run the tests"
	@echo "make lint   run the lint gate: ruff, mypy, import-linter"
	@echo "make fix    format and mend what ruff can mend"
	@echo "make bench  measure latency and requests/s beside a bare relay"

run:
	@sh scripts/venv.sh run
	@exec .venv/bin/memroute serve

test:
	@sh scripts/venv.sh dev
	$(PY) -m pytest -n auto --dist loadfile $(ARGS)

lint:
	@sh scripts/venv.sh dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy .
	.venv/bin/lint-imports
	$(PY) manage.py makemigrations --check --dry-run

fix:
	@sh scripts/venv.sh dev
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

bench:
	@sh scripts/venv.sh dev
	$(PY) -m benchmarks.run

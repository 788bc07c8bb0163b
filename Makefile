# Everything runs in .venv; a second run finds it ready and skips the set-up.
PYTHON ?= python3
BIN := .venv/bin
export RELRBF_DATA ?= $(wildcard ../shared/data)

.PHONY: guards demo test lint bench accuracy speed protocol picture clean

demo: .venv/ready
	$(BIN)/relrbf demo

test: .venv/ready lint
	$(BIN)/python -m pytest

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/ready
	$(BIN)/python -m benchmarks.core

# Tuned rivals included; about half an hour. FLAGS="--keep FOLDER" keeps the rivals' rows.
accuracy: .venv-bench/ready
	.venv-bench/bin/python -m benchmarks.accuracy $(FLAGS)

# The table of docs/auto.md that says why the default does not move on.
guards: .venv-bench/ready
	.venv-bench/bin/python -m benchmarks.accuracy.guards

# A default fit at n = 8,000 beside one SVC, its memory, and its growth up to n = 16,000.
speed: .venv/ready
	$(BIN)/python -m benchmarks.accuracy.speed $(FLAGS)

# The numbers of docs/protocol.md; about a quarter of an hour.
protocol: .venv/ready
	$(BIN)/python -m benchmarks.protocol

# The picture and the numbers of the README's demo.
picture: .venv/ready
	$(BIN)/relrbf demo --output relrbf-demo
	cp relrbf-demo/demo.png docs/demo.png

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("relrbf needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Run: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# An environment of its own: aeon asks for an older NumPy and pandas than the tests run with.
.venv-bench/ready: pyproject.toml benchmarks/constraints.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --upgrade pip
	.venv-bench/bin/python -m pip install --quiet --constraint benchmarks/constraints.txt --editable '.[bench]'
	touch $@

clean:
	rm -rf .venv .venv-bench

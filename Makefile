# Everything runs in .venv; a second run finds it ready and skips the set-up.
PYTHON ?= python3
BIN := .venv/bin
export RELRBF_DATA ?= $(wildcard ../shared/data)

.PHONY: demo test lint bench protocol picture clean

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

clean:
	rm -rf .venv

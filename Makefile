# Everything runs in .venv; a second run finds it ready and skips the set-up.
PYTHON ?= python3
BIN := .venv/bin
# Some benchmarks need an environment of their own: aeon and pyclustertend ask for older libraries.
NAME ?= core
BENCH := $(if $(filter accuracy early_stopping series alternatives,$(NAME)),.venv-bench,$(if $(filter tendency,$(NAME)),.venv-tendency,.venv))
export RELRBF_DATA ?= $(wildcard ../shared/data)

.PHONY: demo test lint docs pictures bench accuracy structure study clean

demo: .venv/ready
	$(BIN)/relrbf demo

# One process for each core, with one thread in each.
test: .venv/ready lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site in docs/_build/html; every example of the gallery runs, and a warning is an error.
docs: .venv-docs/ready
	.venv-docs/bin/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The pictures of README and docs (the last by Chromium), and the numbers of the README's demo.
pictures: .venv/ready
	$(BIN)/relrbf demo --output relrbf-demo
	cp relrbf-demo/demo.png docs/demo.png
	$(BIN)/python -m benchmarks tendency --picture docs/tendency.png
	$(BIN)/python -m benchmarks.pictures docs/plotting.png
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=0.7 \
	  --window-size=1100,4350 --screenshot=docs/report.png file://$(CURDIR)/relrbf-demo/report.html

# make bench NAME=speed FLAGS=...; `python -m benchmarks list` lists the names, each module says what it measures.
bench: $(BENCH)/ready
	$(BENCH)/bin/python -m benchmarks $(NAME) $(FLAGS)

# Tuned baselines included; about half an hour. FLAGS="--keep FOLDER" keeps the baselines' rows.
accuracy:
	$(MAKE) bench NAME=accuracy

# Lines, files and functions of the package, and what one fit visits.
structure:
	$(MAKE) bench NAME=structure

# The paper's study and the page docs/study/study.md: about an hour on two cores. Interrupted, it resumes.
study: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m study all --repetitions 100 --output relrbf-study
	mkdir -p docs/study
	cp relrbf-study/study.md relrbf-study/summary.csv relrbf-study/figure-*.png docs/study

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("relrbf needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Run: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

.venv-bench/ready: pyproject.toml benchmarks/constraints.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --upgrade pip
	.venv-bench/bin/python -m pip install --quiet --constraint benchmarks/constraints.txt --editable '.[bench]'
	touch $@

.venv-docs/ready: pyproject.toml docs/constraints.txt
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --upgrade pip
	.venv-docs/bin/python -m pip install --quiet --constraint docs/constraints.txt --editable '.[docs]'
	touch $@

.venv-tendency/ready: pyproject.toml benchmarks/constraints-tendency.txt
	$(PYTHON) -m venv .venv-tendency
	.venv-tendency/bin/python -m pip install --quiet --upgrade pip
	.venv-tendency/bin/python -m pip install --quiet --constraint benchmarks/constraints-tendency.txt --editable '.[plot]' pyclustertend
	touch $@

clean:
	rm -rf .venv .venv-bench .venv-tendency .venv-docs docs/_build docs/gallery

# Everything runs in .venv; a second run finds it ready and skips the set-up.
PYTHON ?= python3
BIN := .venv/bin
export RELRBF_DATA ?= $(wildcard ../shared/data)

.PHONY: demo test lint bench accuracy guards speed protocol inspection tendency embeddings repair measures scale reading study picture docs clean

demo: .venv/ready
	$(BIN)/relrbf demo

# One process for each core, with one thread in each.
test: .venv/ready lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

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

# The tables of docs/inspection.md.
inspection: .venv/ready
	$(BIN)/python -m benchmarks.inspection $(FLAGS)

# VAT and iVAT beside pyclustertend, their growth and memory; about four minutes, 5 GB.
tendency: .venv-tendency/ready
	OMP_NUM_THREADS=1 .venv-tendency/bin/python -m benchmarks.tendency $(FLAGS)

# What each embedding changes, keeps of new objects, and costs; about eight minutes.
embeddings: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.embeddings

# The tables of docs/repair.md.
repair: .venv/ready
	$(BIN)/python -m benchmarks.repair $(FLAGS)

# The tables of docs/measures.md; about a minute, five with FLAGS=--recover.
measures: .venv/ready
	$(BIN)/python -m benchmarks.measures $(FLAGS)

# The tables of docs/scale.md, disk.md and clusters.md: about half an hour, 7 GB of disk.
scale: .venv/ready .venv-bench/ready
	$(BIN)/python -m benchmarks.scale.many
	$(BIN)/python -m benchmarks.scale.disk
	$(BIN)/python -m benchmarks.scale.cluster
	.venv-bench/bin/python -m benchmarks.scale.series

# Reading text beside NumPy and pandas; FLAGS="--large 25000" reads 5 GB and takes some minutes.
reading: .venv/ready
	$(BIN)/python -m benchmarks.reading $(FLAGS)

# The paper's study and the page docs/study/study.md: about an hour on two cores. Stopped, it goes on.
study: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m study all --repetitions 100 --output relrbf-study
	mkdir -p docs/study
	cp relrbf-study/study.md relrbf-study/summary.csv relrbf-study/figure-*.png docs/study

# The pictures of README and docs (the last by Chromium), and the numbers of the README's demo.
picture: .venv/ready
	$(BIN)/relrbf demo --output relrbf-demo
	cp relrbf-demo/demo.png docs/demo.png
	$(BIN)/python -m benchmarks.tendency --picture docs/tendency.png
	$(BIN)/python -m benchmarks.pictures docs/plotting.png
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=0.7 \
	  --window-size=1100,4350 --screenshot=docs/report.png file://$(CURDIR)/relrbf-demo/report.html

# The site in docs/_build/html; every example of the gallery runs, and a warning is an error.
docs: .venv-docs/ready
	.venv-docs/bin/python -m sphinx -W --keep-going -b html docs docs/_build/html

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

# An environment of its own, for aeon again: the gallery has series by DTW.
.venv-docs/ready: pyproject.toml docs/constraints.txt
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --upgrade pip
	.venv-docs/bin/python -m pip install --quiet --constraint docs/constraints.txt --editable '.[docs]'
	touch $@

# An environment of its own: pyclustertend asks for an older pandas and pytest.
.venv-tendency/ready: pyproject.toml benchmarks/constraints-tendency.txt
	$(PYTHON) -m venv .venv-tendency
	.venv-tendency/bin/python -m pip install --quiet --upgrade pip
	.venv-tendency/bin/python -m pip install --quiet --constraint benchmarks/constraints-tendency.txt --editable '.[plot]' pyclustertend
	touch $@

clean:
	rm -rf .venv .venv-bench .venv-tendency .venv-docs docs/_build docs/gallery

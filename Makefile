# Everything runs in .venv; a second run finds it ready and skips the set-up.
PYTHON ?= python3
BIN := .venv/bin
# Some benchmarks need an environment of their own: aeon and pyclustertend ask for older libraries.
NAME ?= core
BENCH := $(if $(filter accuracy series alternatives deep-accuracy sequences,$(NAME)),.venv-bench,$(if $(filter tendency,$(NAME)),.venv-tendency,.venv))
export RELRBF_DATA ?= $(wildcard ../shared/data)

.PHONY: demo test test-kernels test-oldest test-busy attack lint docs pictures bench accuracy speed structure study clean

demo: .venv/ready
	$(BIN)/relrbf demo

# One process for each core, with one thread in each.
test: .venv/ready lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

# Random and damaged input for an hour, on every core; prints counts.
# make attack FLAGS="--minutes 5 --seed 7" NAME=files attacks one kind only; NAME=kills kills jobs.
attack: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.attack $(if $(filter core,$(NAME)),,$(NAME)) $(FLAGS)

# What BLAS computes, as on older processors, with one thread and with two.
CORE := $(addprefix tests/,network prototypes training clustering estimators/test_metamorphic.py attack/test_fits.py)
NUMERICAL := $(CORE) $(addprefix tests/,embeddings repair autotune tendency inspection) \
  $(addprefix tests/relations/,test_contract.py test_properties.py) $(addprefix tests/measures/,test_common_source.py test_correlation.py)
PARALLEL := --quiet --numprocesses=auto --dist=worksteal
test-kernels: .venv/ready
	OPENBLAS_CORETYPE=Prescott OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(PARALLEL) $(NUMERICAL)
	OPENBLAS_CORETYPE=Sandybridge OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(PARALLEL) $(CORE)
	OPENBLAS_CORETYPE=Haswell OMP_NUM_THREADS=2 $(BIN)/python -m pytest $(PARALLEL) $(CORE)

# The same with the lowest versions that pyproject.toml allows.
test-oldest: .venv-oldest/ready
	OMP_NUM_THREADS=1 .venv-oldest/bin/python -m pytest $(PARALLEL) $(NUMERICAL) \
	  $(addprefix tests/estimators/,test_classifier.py test_regressor.py test_bad_input.py)

# What starts, stops or waits, while other processes keep every core busy: those of BUSY, or what
# runs beside it.
BUSY := .ci/busy
TIMED := $(addprefix tests/,attack/test_kills.py cli/test_output.py cli/test_relate.py cli/test_shell.py inspection/test_progress.py) \
  $(addprefix tests/measures/,test_fuzzy.py test_relate.py test_relate_cluster.py test_relate_resume.py) \
  $(addprefix tests/relations/cluster/,test_validation.py test_workers.py) tests/study/test_runner.py tests/test_parallel.py tests/training/test_checkpoint.py
test-busy: .venv/ready
	$(BUSY) env OMP_NUM_THREADS=1 $(BIN)/python -m pytest $(PARALLEL) $(TIMED)

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site in docs/_build/html; every example of the gallery runs, and a warning is an error.
docs: .venv-docs/ready
	.venv-docs/bin/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The pictures of README and docs (those of the page by Chromium), and the numbers of the README's demo.
pictures: .venv/ready
	$(BIN)/relrbf demo --output relrbf-demo
	cp relrbf-demo/demo.png docs/demo.png
	$(BIN)/python -m benchmarks tendency --picture docs/tendency.png
	$(BIN)/python -m benchmarks.pictures docs/plotting.png
	$(BIN)/python -m benchmarks.page docs
	$(BIN)/python -m benchmarks deep --picture docs/torch.png

# make bench NAME=noise FLAGS=...; `python -m benchmarks list` lists the names, each module says what it measures.
bench: $(BENCH)/ready
	$(BENCH)/bin/python -m benchmarks $(NAME) $(FLAGS)

# Tuned baselines included; about half an hour. FLAGS="--keep FOLDER" keeps the baselines' rows.
accuracy:
	$(MAKE) bench NAME=accuracy

# A default fit of 8,000 objects: seconds, memory, threads.
speed:
	$(MAKE) bench NAME=speed

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

.venv-oldest/ready: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade pip
	.venv-oldest/bin/python -m pip install --quiet --constraint constraints-oldest.txt --editable '.[dev]'
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
	rm -rf .venv .venv-bench .venv-oldest .venv-tendency .venv-docs docs/_build docs/gallery

# make run    private environment, package, the first scenario with its table and figures
# make view   the same scenario live in the browser, to be pushed with the mouse
# make test   style, types, documentation and tests
# make test-graph   the long tests of the ROS graph: every digest, fault, signal, the fuzzer
# make docs       the documentation as a site: build/site/index.html
# make pictures     all pictures of the docs again; takes some twenty minutes
# make clean  remove the environment and everything that was built
# PYTHON=python3.12 make run    with another interpreter, 3.10 or newer

PYTHON ?= python3
VENV ?= .venv
SCENARIO ?= yumi_step
# The robot is 10 % heavier than its model: that is what the figures show.
SETTINGS ?= --set plant.mass_bias=0.1

BIN := $(VENV)/bin
# Nodes in real time do not share the cores with tests that only compute. Lockstep has no time.
LOCKSTEP := test/nodes/test_digest.py test/nodes/test_shutdown.py
REALTIME := $(filter-out $(LOCKSTEP),$(wildcard test/nodes/test_*.py)) test/ros test/bench/test_bench_graph.py
PYTEST = $(BIN)/python -m pytest -n auto --dist worksteal
INPUTS := setup.py setup.cfg pyproject.toml simloop_ros/__init__.py

.PHONY: run view test test-graph docs pictures clean

run: $(VENV)/installed
	$(BIN)/simloop run $(SCENARIO) $(SETTINGS)

view: $(VENV)/installed-view
	$(BIN)/simloop view $(SCENARIO)

# Each worker has a core of its own: threads of linear algebra would only wait for each other.
test: export OPENBLAS_NUM_THREADS := 1
# Hundreds of processes import the package: it is compiled once.
unexport PYTHONDONTWRITEBYTECODE
test: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PYTEST) $(REALTIME:%=--ignore=%)
	$(PYTEST) $(REALTIME)

test-graph: $(VENV)/installed-test
	$(BIN)/python -m pytest -m long

# Strict: a link, anchor or image that does not exist is an error; the tests build it too.
docs: $(VENV)/installed-test
	$(BIN)/mkdocs build --strict
	@echo build/site/index.html

# Benchmarks and textbook are not part of the package: they are found by this path.
pictures: $(VENV)/installed-test
	for script in docs/make_*.py; do \
	  echo $$script; PYTHONPATH=benchmarks:examples $(BIN)/python $$script || exit 1; \
	done

# Debian's python3 has no ensurepip unless python3-venv is there: virtualenv brings its own pip.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	  echo 'simloop_ros needs Python 3.10 or newer; $(PYTHON) is' \
	    "$$($(PYTHON) --version 2>&1 || true). Choose another one: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo 'python venv did not work, trying virtualenv'; rm -rf $(VENV); \
	  $(PYTHON) -m virtualenv --version >/dev/null 2>&1 \
	    || $(PYTHON) -m pip install --user virtualenv \
	    || $(PYTHON) -m pip install --user --break-system-packages virtualenv; \
	  $(PYTHON) -m virtualenv $(VENV); } || { \
	  echo 'No private environment: install python3-venv, or virtualenv, and try again.'; exit 1; }
	@# The pip that comes with Python 3.10 searches versions for minutes; a new one needs none.
	@$@ -m pip install --quiet --disable-pip-version-check --upgrade pip || true

# Editable, so that the sources in use are always the present ones.
$(VENV)/installed: $(INPUTS) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-test: $(INPUTS) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[ros,test,view]'
	@touch $@ $(VENV)/installed $(VENV)/installed-view

$(VENV)/installed-view: $(INPUTS) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[view]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build install log *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything sets itself up: a machine with Python 3.11 or newer and make is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready
SLOW_READY := $(VENV)/.slow-ready
BENCH_BIN := .venv-bench/bin
BENCH_READY := .venv-bench/.ready
CODE   := src tests benchmarks vectors docs/generate docs/generate_gallery.py docs/conftest.py
PIP    := install --quiet --disable-pip-version-check
# A worker for every core, so that each does its algebra on one.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile

.PHONY: help demo test test-slow browser lint format bench docs clean

help:            ## what there is to do
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/' | column -t -s:

$(READY): pyproject.toml
	@echo "setting up $(VENV): a minute or two, once"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip $(PIP) --upgrade pip
	$(BIN)/python -m pip $(PIP) -e '.[dev]'
	touch $@

$(DOCS_READY): $(READY)
	$(BIN)/python -m pip $(PIP) -e '.[docs]'
	touch $@

$(SLOW_READY): $(READY)
	$(BIN)/python -m pip $(PIP) -e '.[slow]'
	touch $@

$(BENCH_READY): pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv .venv-bench
	$(BENCH_BIN)/python -m pip $(PIP) --upgrade pip
	$(BENCH_BIN)/python -m pip $(PIP) -e '.[all]' -r benchmarks/requirements.txt
	touch $@

demo: $(READY)   ## a collector, simulated devices, answers beside the truth, the dashboard until Ctrl-C
	$(BIN)/python -m sottovoce.demo

test: $(READY)   ## the quick suite
	$(PYTEST)

test-slow: $(SLOW_READY) browser ## statistical and fault tests that need minutes
	$(PYTEST) -m slow

browser:         ## Chromium for the slow tests of the dashboard, where apt can bring it
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium; } || \
	  echo "no Chromium: the dashboard is not tested in a browser (apt-get install chromium)"

lint: $(READY)   ## style, types, borders between rooms, spelling
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

format: $(READY) ## rewrite the code in the house style
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

bench: $(BENCH_READY) ## speed and error against peers, in one run
	$(BENCH_BIN)/python -m benchmarks

docs: $(DOCS_READY) ## the documentation as a site in site/
	$(BIN)/python -m docs.generate
	$(BIN)/python docs/generate_gallery.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:           ## remove what was built
	rm -rf $(VENV) .venv-bench site

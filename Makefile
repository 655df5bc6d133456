# `make help` lists it all. Everything runs in .venv, which `make setup` creates.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ARCHIVE := $(VENV)/.class-archive
CODE := src tests scripts
PACKAGE ?=
ADDRESS ?= http://127.0.0.1:8765

.PHONY: help setup java chromium page pictures demo quick check test coverage docs fmt bench bless lock clean

help:  ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(STAMP) java $(ARCHIVE)  ## create .venv with everything pinned, look for Java, prepare Spark's start

$(STAMP): pyproject.toml requirements.lock
	@bash scripts/setup.sh "$(PYTHON)" "$(VENV)"
	@touch $(STAMP)

$(ARCHIVE): $(STAMP) | java
	@$(BIN)/python scripts/class_archive.py || echo "Not prepared: Spark will start more slowly, and work." >&2
	@touch $(ARCHIVE)

java:
	@bash scripts/java.sh

chromium:
	@bash scripts/chromium.sh

page:  ## build the page (page/, needs Node 20) into src/headwater/page/dist; commit the result
	cd page && npm install && npm run build

pictures: $(STAMP)  ## pictures of the page for the docs, of the server at ADDRESS=http://127.0.0.1:8765
	$(BIN)/python scripts/page_pictures.py "$(ADDRESS)"

demo: setup  ## the main job, live in the terminal, on local Spark and local files
	@$(BIN)/headwater demo

quick: $(STAMP)  ## under a minute: no JVM, a twentieth of each law's cases; PACKAGE=planning for one package
	@bash scripts/quick.sh $(BIN) "$(PACKAGE)"

check: $(STAMP)  ## style, types and all tests that need no JVM or server
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadgroup -m "not spark and not postgres and not cli and not browser"

test: setup chromium  ## everything a release must pass: style, types, laws, Spark, PostgreSQL, the command line, the docs
	@bash scripts/test.sh $(BIN)

coverage: setup chromium  ## all tests with branch coverage; fails below the share in pyproject.toml; report in htmlcov/
	@bash scripts/coverage.sh $(BIN)

docs: $(STAMP)  ## the documentation as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

fmt: $(STAMP)  ## format the code
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

bench: setup  ## the long experiments, one after another; results in bench-results/
	@bash scripts/bench.sh

bless: $(STAMP)  ## rewrite golden plans and generated pages; review the diff like code
	HEADWATER_BLESS=1 $(BIN)/pytest tests/plans tests/sql/translate/test_supported_sql.py tests/planning/test_graph_text.py tests/test_error_codes.py

lock: $(STAMP)  ## pin what is installed
	@$(BIN)/pip freeze --exclude-editable --exclude pip > requirements.lock

clean:  ## forget .venv and results
	rm -rf $(VENV) bench-results demo site htmlcov .coverage .pytest_cache

# `make help` lists it all. Everything runs in .venv, which `make setup` creates.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help setup demo test check fmt bench bless lock clean

help:  ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(STAMP) java  ## create .venv with everything pinned, and look for Java

$(STAMP): pyproject.toml requirements.lock
	@bash scripts/setup.sh "$(PYTHON)" "$(VENV)"
	@touch $(STAMP)

.PHONY: java
java:
	@bash scripts/java.sh

demo: setup  ## the main job, live in the terminal, on local Spark and local files
	@$(BIN)/headwater demo

test: setup  ## everything a release must pass: style, types, laws, Spark, PostgreSQL, the command line
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	@bash scripts/test.sh $(BIN)

check: $(STAMP)  ## style, types and the tests that need no JVM or server
	$(BIN)/ruff check src tests
	$(BIN)/mypy
	$(BIN)/pytest tests -m "not spark and not postgres and not cli"

fmt: $(STAMP)  ## format the code
	$(BIN)/ruff check --fix src tests
	$(BIN)/ruff format src tests

bench: setup  ## the long experiments, one after another; results in bench-results/
	@bash scripts/bench.sh

bless: $(STAMP)  ## rewrite the expected part of golden plans; review the diff like code
	HEADWATER_BLESS=1 $(BIN)/pytest tests/plans tests/sql/translate/test_supported_sql.py tests/sharing/test_graph_text.py

lock: $(STAMP)  ## pin what is installed
	@$(BIN)/pip freeze --exclude-editable --exclude pip > requirements.lock

clean:  ## forget .venv and results
	rm -rf $(VENV) bench-results demo

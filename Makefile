# Everything runs in .venv, made from the pinned versions of constraints.txt. PYTHON=python3.12 make test takes another
# interpreter for a new .venv.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test test-long test-spark test-plain test-writes test-catalogs test-own test-faults-sample test-examples test-faults lint format bench clean

# Tests that share one Spark session, those of writes and those of other catalogs that share others, those that start JVMs of their own, and those that need none.
FAULTS_SAMPLE := tests/spark/test_faults_own.py
WRITES := tests/spark/test_writes_agree.py
CATALOGS := tests/spark/test_databricks.py tests/spark/test_session.py tests/spark/test_unity.py
SPARK := tests/spark $(patsubst %,--ignore=%,$(WRITES) $(CATALOGS) $(FAULTS_SAMPLE) tests/spark/test_starting.py tests/spark/test_plugin_local.py)
OWN := tests/spark/test_starting.py tests/spark/test_plugin_local.py
PLAIN := tests --ignore=tests/spark --ignore=tests/examples
PYTEST := $(BIN)/coverage run -m pytest

help:
	@echo 'make demo    the whole story on examples/orders, with real Spark: apply, drift, a colleague, drift, apply'
	@echo 'make test    every test, with coverage'
	@echo 'make test-long  random lives of a table on real Delta, for 20 minutes, and every write of every pair'
	@echo 'make test-faults  kills, races, broken disks, bad servers and hostile input: at most 60 minutes, goes on where it was stopped'
	@echo 'make lint    style, types, and who may import whom'
	@echo 'make format  put the code into the one format'
	@echo 'make bench   measure the speed table of the documentation'
	@echo 'make clean   remove what the other targets made'

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	@rm -f .coverage .coverage.* .test-*.log
	@echo 'make: two processes test side by side; what needs no shared Spark session is shown when it is done'
	@$(MAKE) --no-print-directory --keep-going --jobs=2 test-spark test-plain test-catalogs test-writes test-own test-faults-sample test-examples
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/coverage report --fail-under=100 --include='pytest_delta_schema/delta/*,pytest_delta_schema/models/*,pytest_delta_schema/write_check/*,pytest_delta_schema/state/*,pytest_delta_schema/plan/*,pytest_delta_schema/rules/*,pytest_delta_schema/sql/*'

test-spark: $(READY)
	@$(PYTEST) $(SPARK)

test-plain: $(READY)
	@$(PYTEST) $(PLAIN) >.test-plain.log 2>&1; status=$$?; cat .test-plain.log; exit $$status

test-writes: $(READY)
	@DELTA_SCHEMA_TEST_CODEGEN=1 $(PYTEST) $(WRITES) >.test-writes.log 2>&1; status=$$?; cat .test-writes.log; exit $$status

test-catalogs: $(READY)
	@$(PYTEST) $(CATALOGS) >.test-catalogs.log 2>&1; status=$$?; cat .test-catalogs.log; exit $$status

test-own: $(READY)
	@$(PYTEST) $(OWN) >.test-own.log 2>&1; status=$$?; cat .test-own.log; exit $$status

test-faults-sample: $(READY)
	@$(PYTEST) $(FAULTS_SAMPLE) >.test-faults-sample.log 2>&1; status=$$?; cat .test-faults-sample.log; exit $$status

test-long: $(READY)
	DELTA_SCHEMA_TEST_MINUTES=20 $(BIN)/pytest tests/spark/test_evolution_machine.py
	DELTA_SCHEMA_TEST_CODEGEN=1 DELTA_SCHEMA_TEST_LONG=1 $(BIN)/pytest tests/spark/test_writes_agree.py

test-examples: $(READY)
	@$(PYTEST) tests/examples >.test-examples.log 2>&1; status=$$?; cat .test-examples.log; exit $$status

test-faults: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m faults $(FAULTS)

lint: $(READY)
	$(BIN)/ruff check --output-format concise
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix --output-format concise
	$(BIN)/ruff format

bench: $(READY)
	@$(BIN)/python benchmarks

clean:
	rm -rf .venv .faults .test-*.log .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo 'make: there is no $(PYTHON); install Python 3.10 or newer, or name one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo 'make: $(PYTHON) is older than Python 3.10; install a newer one, or name one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo 'make: $(PYTHON) has no venv; install it (Debian: apt-get install python3-venv)' >&2; exit 1; }
	@java=$${JAVA_HOME:+$$JAVA_HOME/bin/}java; command -v "$$java" >/dev/null || { echo "make: there is no $$java; Spark needs Java 17 or newer: install a JRE 17 (Debian: apt-get install openjdk-17-jre-headless) and set JAVA_HOME" >&2; exit 1; }
	@java=$${JAVA_HOME:+$$JAVA_HOME/bin/}java; major=$$("$$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -1); [ "$${major:-0}" -ge 17 ] || { echo "make: $$java is Java $${major:-unknown}; Spark needs Java 17 or newer" >&2; exit 1; }
	@echo 'make: installing the pinned packages into .venv (about 500 MB, once)'
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt setuptools wheel
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation --editable '.[spark,unity,dev]'
	@touch $@

# Everything runs in .venv, made from the pinned versions of constraints.txt. PYTHON=python3.12 make test takes another
# interpreter for a new .venv.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
TOOLS := .venv-tools/bin
DOCS_READY := .venv-tools/.docs
MUTANTS_READY := .venv-tools/.mutants
RELEASE_READY := .venv-tools/.release

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-all test-long test-spark test-backends test-pure test-plain test-own test-faults test-mutants test-versions test-tutorial lint format docs package bench clean

COMMA := ,

# The packages without effects. Their tests, with those of a few others that need little time, run every branch of them, and
# are traced; tracing doubles the time of a test, so everything else is traced by `make test-all` alone.
PURE := compatibility delta exchange history models plan rules source_code sql state write_check
PURE_FILES := $(subst $() ,$(COMMA),$(PURE:%=pytest_delta_schema/%/*))
TRACED := $(patsubst %,tests/%/,$(PURE) assertions commands configuration diagnostics execute report) $(wildcard tests/test_*.py)

# The tests run in five groups at once: those without a JVM, of which the traced ones are a group and the others have two workers;
# those that share a Spark session in two processes, that of the backends and that of everything else; and those that start
# Spark themselves, and mostly wait. The first two leave the others their time. The marks are explained in pyproject.toml; only
# files that have one are loaded.
marked = $(shell grep -rlE 'mark\.($(1))\b' tests --include='test_*.py')
pure_TESTS := -m 'not spark' $(TRACED)
plain_TESTS := --numprocesses 2 --dist loadfile -m 'not spark' $(TRACED:%=--ignore=%)
spark_TESTS := -m 'spark and not own_jvm' $(filter-out tests/backends/%,$(call marked,spark))
backends_TESTS := -m 'spark and not own_jvm' $(filter tests/backends/%,$(call marked,spark))
own_TESTS := -m 'own_jvm' $(call marked,own_jvm)
PYTEST := $(BIN)/pytest
TRACING_PYTEST := $(BIN)/coverage run -m pytest

# The tests start hundreds of processes, and each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

help:
	@echo 'make demo    examples/orders with real Spark: apply, drift, a change by hand, drift, apply'
	@echo 'make test    every test, and the branch coverage of the packages without effects'
	@echo 'make test-fast  the tests that need no JVM'
	@echo 'make test-all   every test, every scenario on every backend, and every write of every pair'
	@echo 'make test-long  random changes of a table on real Delta, for 20 minutes'
	@echo 'make test-faults  kills, races, broken disks, bad servers and hostile names: at most 60 minutes, continues where it was stopped'
	@echo 'make test-mutants  changes one operator or number at a time, 200 times, and prints the changes that no test notices: 30 minutes'
	@echo 'make test-versions  the scenarios on each pair of pyspark and delta-spark, and the tests without a JVM on each Python and the oldest pytest: 10 minutes each'
	@echo 'make test-tutorial  the tutorial as a new user follows it, on each pair, with an empty cache: about 5 minutes a pair'
	@echo 'make lint    style, types, and the layers of imports'
	@echo 'make format  format the code'
	@echo 'make bench   measure the speed table of the documentation'
	@echo 'make docs    build the documentation into build/site, after writing the generated parts of its pages'
	@echo 'make package  build the wheel and the sdist into dist, check them, and install them in a fresh environment'
	@echo 'make clean   remove what the other targets made'

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	@rm -f .coverage .coverage.* .test-*.log
	@echo 'make: five groups of tests run at once; the first is shown as it runs, the others when they are done'
	@$(MAKE) --no-print-directory --keep-going --jobs=5 test-spark $(ALSO) test-backends test-own test-pure test-plain
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=100 --include='$(PURE_FILES)'

test-spark: $(READY)
	@$(PYTEST) $(spark_TESTS)

test-pure: PYTEST = $(TRACING_PYTEST)
test-pure test-plain: BEHIND := nice -n 10
test-backends test-own test-pure test-plain: $(READY)
	@$(BEHIND) $(PYTEST) $($(@:test-%=%)_TESTS) >.$@.log 2>&1; status=$$?; cat .$@.log; exit $$status

# Some tests wait for servers and processes, so three workers are busy on two cores.
test-fast: $(READY)
	$(BIN)/pytest --numprocesses 3 --dist worksteal -m 'not spark'

test-all: $(READY)
	@DELTA_SCHEMA_TEST_ALL=1 $(MAKE) --no-print-directory test PYTEST='$(TRACING_PYTEST)'
	$(BIN)/coverage report

test-long: $(READY)
	DELTA_SCHEMA_TEST_MINUTES=20 $(BIN)/pytest tests/backends/local/test_evolution_machine.py

test-faults: $(READY)
	@PYTHONPATH=tests $(BIN)/python -m faults $(FAULTS)

test-mutants: $(READY) $(MUTANTS_READY)
	@PYTHONPATH=tests $(TOOLS)/python -m mutants $(MUTANTS)

test-versions: $(READY)
	@DELTA_SCHEMA_TEST_COVERING=$(COVERING) PYTHONPATH=.:tests $(BIN)/python -m versions $(VERSIONS)

test-tutorial: $(READY)
	@PYTHONPATH=.:tests $(BIN)/python -m tutorial $(PAIRS)

lint: $(READY)
	$(BIN)/ruff check --output-format concise
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix --output-format concise
	$(BIN)/ruff format

docs: $(READY) $(DOCS_READY)
	@PYTHONPATH=tests $(BIN)/python -m support.reference
	@NO_MKDOCS_2_WARNING=1 $(TOOLS)/mkdocs build --strict >.docs.log 2>&1 || { cat .docs.log; exit 1; }

package: $(READY) $(RELEASE_READY)
	@rm -rf dist
	@$(TOOLS)/python -m build --no-isolation >.package.log 2>&1 || { cat .package.log; exit 1; }
	@$(TOOLS)/twine check --strict dist/*
	@DELTA_SCHEMA_TEST_DIST=dist $(BIN)/pytest -p no:cacheprovider tests/package

bench: $(READY)
	@$(BIN)/python benchmarks

clean:
	@grep "^docs/" .gitignore | xargs rm -f
	rm -rf .venv .venv-tools .venv-versions .faults .mutants .tutorial .docs.log .package.log .test-*.log build dist *.egg-info .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo 'make: there is no $(PYTHON); install Python 3.10 or newer, or name one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo 'make: $(PYTHON) is older than Python 3.10; install a newer one, or name one: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo 'make: $(PYTHON) has no venv; install it (Debian: apt-get install python3-venv)' >&2; exit 1; }
	@java=$${JAVA_HOME:+$$JAVA_HOME/bin/}java; command -v "$$java" >/dev/null || { echo "make: there is no $$java; Spark needs Java 17 or newer: install a JRE 17 (Debian: apt-get install openjdk-17-jre-headless) and set JAVA_HOME" >&2; exit 1; }
	@java=$${JAVA_HOME:+$$JAVA_HOME/bin/}java; major=$$("$$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -1); [ "$${major:-0}" -ge 17 ] || { echo "make: $$java is Java $${major:-unknown}; Spark needs Java 17 or newer" >&2; exit 1; }
	@echo 'make: installing the pinned packages into .venv (about 500 MB, once)'
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt setuptools wheel
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --no-build-isolation --editable '.[spark,unity,dev]'
	@touch $@

$(DOCS_READY): PACKAGES := mkdocs-material
$(MUTANTS_READY): PACKAGES := cosmic-ray coverage
$(RELEASE_READY): PACKAGES := build twine setuptools wheel
$(DOCS_READY) $(MUTANTS_READY) $(RELEASE_READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' || { echo 'make: the documentation, the distributions and the mutants are made with Python 3.11.5 or newer; name one: make PYTHON=python3.12' >&2; exit 1; }
	@echo 'make: installing what makes the $(@:.venv-tools/.%=%) into .venv-tools'
	@$(PYTHON) -m venv .venv-tools
	@$(TOOLS)/pip install --quiet --disable-pip-version-check --constraint constraints.txt $(PACKAGES)
	@touch $@

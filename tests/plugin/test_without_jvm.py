"""The local backend without a JVM: what a run reads from logs, what starts Spark, and that nothing else does."""

from __future__ import annotations

import os

import pytest

from pytest_delta_schema.backends.local import catalog as local_catalog
from pytest_delta_schema.backends.local import reading as early_reads
from pytest_delta_schema.backends.local import session as later_session
from pytest_delta_schema.backends.local import start as session
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from support.logs import TIME, commit, delta_log, field, metadata, protocol

ID = field("id", nullable=False)
PLAIN = "orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))\n"
STARTED = "Spark is started here"


@pytest.fixture
def started(project, monkeypatch):
    """Let a start of Spark fail, and return the list to which each start is added."""
    starts = []

    def refuse(*_, **__):
        starts.append(1)
        raise BackendUnavailableError(f"{STARTED}; {{it}} must not be")

    monkeypatch.setattr(session, "start_session", refuse)
    for module in (early_reads, later_session, local_catalog):
        monkeypatch.setattr(module, "active_spark", lambda: None)
    for name in ("SPARK_HOME", *later_session._FOREIGN):
        monkeypatch.delenv(name, raising=False)
    project.models(PLAIN)
    return starts


@pytest.fixture
def orders(project):
    """Write the log of a table that fits its model, and return its folder."""
    return delta_log(project.path / ".delta-warehouse" / "dev" / "silver" / "orders", ID)


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize("mode", ["drift", "apply"])
def test_tables_in_sync_need_none(project, started, monkeypatch, mode):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    result = project.run(f"--delta-{mode}", "-m", f"delta_{mode}", "-q")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"{mode}: 1 in sync, 0 statements run"])
    result.stdout.no_fnmatch_line("*Spark*")
    assert started == []


ONLY_WITH_CHANGES = (
    *("backends.local.bridge", "backends.local.clones", "backends.local.conversion", "backends.local.launch"),
    *("backends.local.start", "backends.local.statements", "backends.spark.errors", "backends.spark.logs"),
    *("backends.spark.sessions", "backends.spark.statements", "engine.apply_progress", "engine.checks"),
    *("engine.orchestrator", "engine.source_map", "execute.interruption", "execute.preflight", "execute.runner"),
    *("history.git", "plan.data_checks", "plan.entry_comparison", "plugin.reports"),
    *("report.run_report", "sql.compiler", "sql.renderers"),
)
MODULES = 120
"""The modules of this package that a gate loads whose tables are in sync; it may not rise."""


@pytest.mark.usefixtures("orders")
def test_a_gate_in_sync_loads_nothing_that_only_a_change_needs(project):
    project.models(PLAIN)
    project.pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            names = sorted(name for name in sys.modules if name.startswith("pytest_delta_schema"))
            print("loaded", len(names), *names)
        """,
    )

    result = project.run("--delta-drift", "-m", "delta_drift", "-q", "-s", subprocess=True)

    (line,) = (line for line in result.outlines if line.startswith("loaded "))
    _, number, *names = line.split()
    assert [name for name in ONLY_WITH_CHANGES if f"pytest_delta_schema.{name}" in names] == []
    assert int(number) <= MODULES


KEY = "foreign_keys=[ForeignKey(['id'], 'other.silver.parents', parent_columns=['id'])]"
MANY = f"""{PLAIN}
from pytest_delta_schema import ForeignKey
def made(name, *columns, **options):
    return table(f"dev.{{name}}", Column("id", LongType(), is_nullable=False), *columns, **options)
drifted, damaged, sums = made("silver.drifted"), made("silver.damaged"), made("gold.sums")
child = made("silver.child", {KEY})
"""


def test_a_gate_over_logs_of_every_kind_needs_none(project, started, orders):
    project.models(MANY)
    project.settings('models = ["models"]', 'unmanaged = "fail"', 'unmanaged_ignore = ["dev.silver.left*"]')
    silver = orders.parent
    delta_log(silver / "drifted", ID)
    commit(silver / "drifted", 1, metadata(ID, field("extra")))
    for version in range(2):
        file = silver / "drifted" / "_delta_log" / f"{version:020d}.json"
        os.utime(file, (TIME / 1000, TIME / 1000))
    delta_log(silver / "damaged", ID)
    (silver / "damaged" / "_delta_log" / f"{0:020d}.json").write_text("{")
    for folder in (
        silver / "child",
        silver / "stray",
        project.path / ".delta-warehouse" / "other" / "silver" / "parents",
    ):
        delta_log(folder, ID)
    for table in ("legacy", "left_out", "gone"):
        (silver / table).mkdir()
        (silver / table / "part-0.parquet").write_bytes(b"")

    result = project.run("--delta-drift", "-m", "delta_drift")
    project.models(MANY + 'gone = made("silver.gone")\n')
    unmanaged = project.run("--delta-drift", "-m", "delta_unmanaged")

    result.assert_outcomes(passed=1, failed=3, errors=1)
    unmanaged.assert_outcomes(passed=1, failed=1)
    unmanaged.stdout.fnmatch_lines(
        ["*dev.silver holds 2 tables that no model declares: dev.silver.legacy (parquet files), dev.silver.stray*"]
    )
    result.stdout.fnmatch_lines_random(
        [
            "  - columns.extra  bigint *-> (not in the model)*",
            "*column extra came with version 1, TEST of 2026-09-21 14:13:20 UTC*",
            "  drifted     dev.gold.sums does not exist in the catalog, and neither does its schema dev.gold",
            "*its Delta log is damaged (*00000000000000000000.json is cut off or damaged in line 1*",
            "  + foreign_keys.*",
        ],
    )
    assert started == []
    assert not (project.path / ".delta-warehouse" / ".gitignore").exists()


@pytest.mark.usefixtures("orders")
def test_neither_a_used_consent_nor_unsuitable_versions_need_one(project, started, orders, monkeypatch):
    monkeypatch.setattr(later_session, "installed", lambda: {"pyspark": "4.3.0"})
    delta_log(orders, ID, field("legacy"))
    commit(orders, 1, metadata(ID))

    used = project.run("--delta-drift", "-m", "delta_drift", "--delta-allow=drop-column dev.silver.orders.legacy")
    used.assert_outcomes(passed=1)
    assert started == []


def test_an_apply_that_changes_tables_starts_it_in_the_set_up(project, started):
    project.models(PLAIN + "more = table('dev.silver.more', Column('id', LongType()))\n")

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines([f"*{STARTED}*"])
    assert started == [1]


def test_data_checks_start_it(project, started, orders):
    commit(orders, 1, metadata(field("id")))

    off = project.run("--delta-drift", "-m", "delta_drift", "--delta-preflight=off")
    assert started == []
    count = project.run("--delta-drift", "-m", "delta_drift", "--delta-preflight=count")

    off.assert_outcomes(failed=1)
    count.assert_outcomes(errors=1)
    assert started == [1]


FIXTURE = "import pytest\n\n@pytest.fixture(scope='session')\n"
STARTING = {
    # the conftest, and the models
    "delta_spark": (
        f"{FIXTURE}def delta_spark(delta_warehouse): return __import__('pytest_delta_schema').open_session(delta_warehouse)",
        PLAIN,
    ),
    "delta_catalog": (f"{FIXTURE}def delta_catalog(delta_catalog):\n    return delta_catalog\n", PLAIN),
    "a table of the session's catalog": (
        "",
        "orders = table('spark_catalog.silver.orders', Column('id', LongType()))\n",
    ),
}


@pytest.mark.usefixtures("orders")
def test_an_override_and_what_only_spark_can_read_start_it(project, started, orders, monkeypatch):
    def is_error():
        result = project.run("--delta-drift", "-m", "delta_drift")
        return result.parseoutcomes()["errors"] == 1 and started.pop() == 1 and not started

    for case, (conftest, models) in STARTING.items():
        project.pytester.makeconftest(conftest)
        project.models(models)

        assert is_error(), case
    project.models(PLAIN)
    project.pytester.makeconftest("")
    with monkeypatch.context() as active:
        for module in (early_reads, later_session, local_catalog):
            active.setattr(module, "active_spark", lambda: "a session")
        assert is_error()
    commit(orders, 1, {"protocol": {**protocol()["protocol"], "minReaderVersion": 9}})
    assert is_error()


@pytest.mark.usefixtures("orders")
def test_a_test_gets_a_started_session_next_to_checks(project, started):
    project.pytester.makepyfile(test_x="def test_it(delta_catalog):\n    raise AssertionError('is not reached')\n")

    project.run_all("--delta-drift", "-m", "not delta_ddl and not delta_rules").assert_outcomes(passed=1, errors=1)

    assert started == [1]


@pytest.mark.usefixtures("orders")
def test_the_docstring_of_an_import_names_no_folder_of_this_machine(project, started):
    broken = delta_log(project.path / ".delta-warehouse" / "dev" / "silver" / "broken", ID)
    (broken / "_delta_log" / f"{0:020d}.json").write_text("{")
    project.models("")

    result = project.run("--delta-import=dev.silver")

    module = (project.path / "contracts" / "silver.py").read_text("utf-8")
    assert module.startswith('"""Tables of dev.silver.\n\ndev.silver.broken could not be read\n"""\n')
    result.stdout.fnmatch_lines([f"  failed      dev.silver.broken could not be read: *({project.path}*"])
    assert started == []


def test_an_import_says_why_a_schema_is_empty(project, started):
    delta_log(project.path / "spark-warehouse" / "silver.db" / "orders", ID)
    project.models("")

    empty = project.run("--delta-import=dev.silver")

    assert empty.ret == pytest.ExitCode.USAGE_ERROR
    empty.stderr.fnmatch_lines(["ERROR: --delta-import=dev.silver: *: mkdir -p * && ln -s *"])
    assert started == []

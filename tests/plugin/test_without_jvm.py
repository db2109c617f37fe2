"""The local backend without a JVM: what a run reads from logs, what starts Spark, and that nothing else does."""

from __future__ import annotations

import os

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local import catalog as local_catalog
from pytest_delta_schema.backends.local import reading as early_reads
from pytest_delta_schema.backends.local import session as later_session
from pytest_delta_schema.backends.local import start as session
from pytest_delta_schema.backends.local.reading import WarehouseLogs
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.report import model_source
from support.log_readers import SHAPES, write
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
def test_tables_in_sync_need_none(project, started, mode):
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


def test_drift_needs_none(project, started, orders):
    commit(orders, 1, metadata(ID, field("extra")))
    for version in range(2):
        os.utime(orders / "_delta_log" / f"{version:020d}.json", (TIME / 1000, TIME / 1000))
    project.models(PLAIN + "gold = table('dev.gold.sums', Column('id', LongType()))\n")

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "  - columns.extra  bigint *-> (not in the model)*",
            "*column extra came with version 1, TEST of 2026-09-21 14:13:20 UTC*",
            "  drifted     dev.gold.sums does not exist in the catalog, and neither does its schema dev.gold",
        ],
    )
    assert started == []
    assert not (project.path / ".delta-warehouse" / ".gitignore").exists()


def test_a_damaged_log_needs_none(project, started, orders):
    (orders / "_delta_log" / f"{0:020d}.json").write_text("{")

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*its Delta log is damaged (*00000000000000000000.json is cut off or damaged in line 1*"],
    )
    assert started == []


@pytest.mark.usefixtures("orders")
def test_unmanaged_tables_need_none(project, started):
    project.settings('models = ["models"]', 'unmanaged = "fail"')
    delta_log(project.path / ".delta-warehouse" / "dev" / "silver" / "stray", ID)

    result = project.run("--delta-drift", "-m", "delta_unmanaged or delta_drift")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*dev.silver.stray*"])
    assert started == []


@pytest.mark.usefixtures("orders")
def test_folders_of_parquet_files_are_unmanaged_tables(project, started):
    schema = project.path / ".delta-warehouse" / "dev" / "silver"
    for table in ("legacy", "left_out", "gone"):
        (schema / table).mkdir()
        (schema / table / "part-0.parquet").write_bytes(b"")
    project.models(PLAIN + "gone = table('dev.silver.gone', Column('id', LongType()))\n")
    project.settings('models = ["models"]', 'unmanaged = "report"', 'unmanaged_ignore = ["dev.silver.left*"]')

    result = project.run("--delta-drift", "-m", "delta_unmanaged")

    result.stdout.fnmatch_lines(
        [
            "unmanaged: 1 schema, 1 with undeclared tables",
            "  note        dev.silver holds 1 table that no model declares: dev.silver.legacy (parquet files)*",
        ]
    )
    assert started == []


def test_unmanaged_tables_of_a_new_catalog_need_none(project, started):
    project.settings('models = ["models"]', 'unmanaged = "fail"')

    project.run("--delta-drift", "-m", "delta_unmanaged").assert_outcomes(passed=1)

    assert started == []


@pytest.mark.usefixtures("orders")
def test_consents_that_were_used_before_need_none(project, started, orders):
    delta_log(orders, ID, field("legacy"))
    commit(orders, 1, metadata(ID))

    result = project.run("--delta-drift", "-m", "delta_drift", "--delta-allow=drop-column dev.silver.orders.legacy")

    result.assert_outcomes(passed=1)
    assert started == []


@pytest.mark.usefixtures("orders")
def test_a_gate_needs_no_pair_that_belongs_together(project, started, monkeypatch):
    monkeypatch.setattr(later_session, "installed", lambda: {"pyspark": "4.3.0"})

    project.run("--delta-drift", "-m", "delta_drift").assert_outcomes(passed=1)

    assert started == []


@pytest.mark.parametrize("mode", ["drift", "apply"])
def test_a_run_that_starts_no_session_creates_no_warehouse(project, monkeypatch, mode):
    project.models(PLAIN)
    for module in (early_reads, later_session, local_catalog):
        monkeypatch.setattr(module, "active_spark", lambda: None)
    monkeypatch.setattr(session, "checked_active_session", lambda: None)
    monkeypatch.setattr(later_session, "installed", lambda: {"pyspark": "4.3.0"})

    result = project.run(f"--delta-{mode}", "-m", f"delta_{mode}")

    if mode == "apply":
        result.stdout.fnmatch_lines(["there is no supported delta-spark for pyspark 4.3.0; run: pip install *"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert not (project.path / ".delta-warehouse").exists()


def test_collecting_needs_none(project, started):
    project.run("--delta-drift", "--collect-only", "-q").stdout.fnmatch_lines(["*models.py::dev.silver.orders::drift"])

    assert started == []
    assert not (project.path / ".delta-warehouse").exists()


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["serial", "xdist"])
def test_no_java_is_needed(project, monkeypatch, workers):
    project.models(PLAIN)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")

    result = project.run("--delta-drift", "-m", "delta_drift", *workers, subprocess=True)

    result.assert_outcomes(passed=1)


def test_an_apply_that_changes_tables_starts_it_in_the_set_up(project, started):
    project.models(PLAIN + "more = table('dev.silver.more', Column('id', LongType()))\n")

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(errors=1, skipped=1)
    result.stdout.fnmatch_lines([f"*{STARTED}*"])
    assert started == [1]


@pytest.mark.parametrize(("preflight", "starts"), [("off", []), ("count", [1])])
def test_data_checks_start_it(project, started, orders, preflight, starts):
    commit(orders, 1, metadata(field("id")))

    result = project.run("--delta-drift", "-m", "delta_drift", f"--delta-preflight={preflight}")

    result.assert_outcomes(failed=1 - len(starts), errors=len(starts))
    assert started == starts


OVERRIDES = {
    "delta_spark": "def delta_spark(delta_warehouse):\n    from pytest_delta_schema import open_session\n    return open_session(delta_warehouse)",
    "delta_spark_conf": "def delta_spark_conf(delta_spark_conf):\n    return delta_spark_conf",
    "delta_catalog": "def delta_catalog(delta_catalog):\n    return delta_catalog",
}


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize("fixture", OVERRIDES)
def test_an_override_starts_it(project, started, fixture):
    project.pytester.makeconftest(f"import pytest\n\n@pytest.fixture(scope='session')\n{OVERRIDES[fixture]}\n")

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(errors=1)
    assert started == [1]


@pytest.mark.usefixtures("orders")
def test_another_warehouse_is_read_from_there(project, started):
    delta_log(project.path / "mine" / "dev" / "silver" / "orders", ID, field("extra"))
    project.pytester.makeconftest(
        "import pytest\nfrom pathlib import Path\n\n"
        "@pytest.fixture(scope='session')\ndef delta_warehouse():\n    return Path('mine')\n",
    )

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  - columns.extra *"])
    assert started == []


@pytest.mark.usefixtures("orders")
def test_a_session_that_is_active_is_used(project, started, monkeypatch):
    for module in (early_reads, later_session, local_catalog):
        monkeypatch.setattr(module, "active_spark", lambda: "a session")

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(errors=1)
    assert started == [1]


@pytest.mark.usefixtures("orders")
def test_settings_of_spark_start_it(project, started, monkeypatch):
    monkeypatch.setenv("SPARK_CONF_DIR", "/etc/spark")

    project.run("--delta-drift", "-m", "delta_drift").assert_outcomes(errors=1)

    assert started == [1]


SPARK_READS = {
    "table of the session's catalog": "orders = table('spark_catalog.silver.orders', Column('id', LongType()))\n",
    "parent in an unknown catalog": (
        "from pytest_delta_schema import ForeignKey\n"
        "key = ForeignKey(['id'], 'other.silver.parents', parent_columns=['id'])\n"
        "orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False), foreign_keys=[key])\n"
    ),
    "files to convert": (
        "from pytest_delta_schema import Parquet\n"
        "orders = table('dev.gold.files', Column('id', LongType()), convert_from=Parquet('/data/files'))\n"
    ),
}


@pytest.mark.usefixtures("orders")
@pytest.mark.parametrize("models", SPARK_READS.values(), ids=SPARK_READS)
def test_what_only_spark_can_read_starts_it(project, started, models):
    project.models(models)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(errors=1)
    assert started == [1]


def test_a_log_that_needs_spark_starts_it(project, started, orders):
    commit(orders, 1, {"protocol": {**protocol()["protocol"], "minReaderVersion": 9}})

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(errors=1)
    assert started == [1]


@pytest.mark.usefixtures("orders")
def test_a_parent_in_a_catalog_of_the_warehouse_needs_none(project, started):
    project.models(SPARK_READS["parent in an unknown catalog"])
    delta_log(project.path / ".delta-warehouse" / "other" / "silver" / "parents", ID)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  + foreign_keys.*"])
    assert started == []


@pytest.mark.usefixtures("orders")
def test_a_test_gets_a_started_session(project, started):
    project.pytester.makepyfile(test_x="def test_it(delta_catalog):\n    raise AssertionError('is not reached')\n")

    result = project.run_all("--delta-drift", "-m", "not delta_ddl and not delta_rules")

    result.assert_outcomes(passed=1, errors=1)
    assert started == [1]


LATER = """
import pytest
from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError

class Later(MemoryCatalog):
    is_started = False

    def start(self):
        raise BackendUnavailableError("the session does not start; look at its log")

@pytest.fixture(scope="session")
def delta_catalog():
    return Later()
"""


def test_a_session_that_does_not_start_is_an_error_in_the_set_up(project):
    project.models(PLAIN)
    project.pytester.makeconftest(LATER)

    project.run("--delta-drift", "-m", "delta_drift").assert_outcomes(failed=1)
    result = project.run("--delta-apply", "-m", "delta_apply")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the session does not start; look at its log*"])


def test_a_test_without_checks_gets_a_started_session(project, started):
    project.settings()
    project.pytester.makepyfile(test_x="def test_it(delta_catalog):\n    raise AssertionError('is not reached')\n")

    project.run().assert_outcomes(errors=1)

    assert started == [1]


@pytest.mark.parametrize("shape", SHAPES)
def test_models_of_tables_that_other_writers_made_need_no_change(project, started, shape):
    warehouse = project.path / ".delta-warehouse"
    write(warehouse / "dev" / "silver" / "orders", shape)
    name = QualifiedName("dev", "silver", "orders")
    project.models(model_source(WarehouseLogs(warehouse, (4, 4)).read([name])[name]))

    plain = project.run("-m", "delta_rules", "--junit-xml=report.xml")
    gate = project.run("--delta-drift", "-m", "delta_drift", "-q")

    plain.assert_outcomes(passed=1)
    assert "dev.silver.orders: cannot be created, only compared: " in (project.path / "report.xml").read_text("utf-8")
    gate.assert_outcomes(passed=1)
    gate.stdout.fnmatch_lines(["drift: 1 in sync*"])
    assert started == []


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


def test_a_rename_is_adopted_as_a_rename(project, started):
    names = {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"}
    mapped = {"delta__columnMapping__mode": "name"}
    orders = project.path / ".delta-warehouse" / "dev" / "silver" / "orders"
    versions = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    commit(orders, 0, versions, metadata(field("nr", **names), **mapped))
    commit(orders, 1, metadata(field("number", **names), **mapped))
    project.models(
        "orders = Table('dev', 'silver', 'orders', [\n"
        "    Column('nr', LongType()),  # from the till\n"
        "], table_properties={'delta.columnMapping.mode': 'name'})\n"
    )

    result = project.run("--delta-adopt=write")

    result.stdout.fnmatch_lines(["adopt: 1 table accepted and proven"])
    assert (
        '    Column("number", LongType(), renamed_from="nr"),  # from the till\n'
        in (project.path / "models.py").read_text()
    )
    assert started == []


WAREHOUSES = [
    # folders with a table, options, the end of the message
    (
        ["spark-warehouse/silver.db"],
        ["--delta-import=dev.silver"],
        "*{path}/spark-warehouse/silver.db holds *: mkdir -p {path}/.delta-warehouse/dev && ln -s {path}/spark-warehouse/silver.db *",
    ),
    (
        ["spark-warehouse/silver.db"],
        ["--delta-import=spark_catalog.silver"],
        "*: mkdir -p {path}/.delta-warehouse/dev && ln -s {path}/spark-warehouse/silver.db *, and import dev.silver; *",
    ),
    (
        ["spark-warehouse/silver.db"],
        ["--delta-import=dev.silver.orders", "--delta-warehouse=spark-warehouse"],
        "*: mkdir -p {path}/spark-warehouse/dev && ln -s {path}/spark-warehouse/silver.db {path}/spark-warehouse/dev/silver, *",
    ),
    (
        [".delta-warehouse/spark_catalog/silver.db"],
        ["--delta-import=dev.silver"],
        "*: mkdir -p {path}/.delta-warehouse/dev && ln -s {path}/.delta-warehouse/spark_catalog/silver.db *",
    ),
    (["spark-warehouse"], ["--delta-import=dev.default"], "*: mkdir -p * && ln -s {path}/spark-warehouse {path}/*/default, *"),
    (["spark-warehouse"], ["--delta-import=dev.silver"], "*: there is no warehouse folder {path}/.delta-warehouse; *FOLDER"),
    (["a/silver"], ["--delta-import=dev.x", "--delta-warehouse=b"], "*: there is no warehouse folder {path}/b; *FOLDER"),
    (["a/test/x", "a/it/x", "a/y.db"], ["--delta-import=dev.x", "--delta-warehouse=a"], "*/a has no catalog dev; its catalogs: it, test"),
    (["spark-warehouse/x.db"], ["--delta-import=dev.y", "--delta-warehouse=spark-warehouse"], "*no catalog dev; its catalogs: none"),
    (["a/dev/silver"], ["--delta-import=dev.gold", "--delta-warehouse=a"], "*dev.gold does not exist, or holds no table; check its name"),
    (["a/dev/silver"], ["--delta-import=spark_catalog.gold", "--delta-warehouse=a"], "*, or holds no table; check its name"),
]  # fmt: skip


@pytest.mark.parametrize(("folders", "options", "expected"), WAREHOUSES)
def test_an_import_says_why_a_schema_is_empty(project, started, folders, options, expected):
    for folder in folders:
        delta_log(project.path / folder / "orders", ID)

    result = project.run(*options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --delta-import={expected.format(path=project.path)}"])
    assert started == []


def test_a_linked_schema_of_spark_is_imported(project, started):
    delta_log(project.path / "spark-warehouse" / "silver.db" / "orders", ID)
    catalog = project.path / ".delta-warehouse" / "dev"
    catalog.mkdir(parents=True)
    (catalog / "silver").symlink_to(project.path / "spark-warehouse" / "silver.db")
    project.models("")

    result = project.run("--delta-import=dev.silver")

    result.stdout.fnmatch_lines(["import: 1 table written and proven"])
    assert started == []

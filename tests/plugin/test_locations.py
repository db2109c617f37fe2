"""``backend = "locations"``: a gate over folders without a JVM, what only reads, and where tests create tables."""

from __future__ import annotations

import importlib.util

import pytest

from pytest_delta_schema.commands.cli import main
from support.logs import commit, delta_log, field, metadata
from support.snapshots import TextSnapshot

MODELS = """
orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))
items = table('dev.silver.order items', Column('id', LongType()))
sales = table('dev.gold.sales', Column('id', LongType()))
"""
LOCATIONS = (
    "[tool.pytest_delta_schema.locations]",
    '"dev.silver" = "lake/silver"',
    '"dev.gold" = "lake/gold"',
    '"dev.silver.orders" = "lake/own orders"',
)
SETTINGS = ('models = ["models"]', 'backend = "locations"')


@pytest.fixture
def lake(project, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")  # a start of Spark would fail
    project.models(MODELS)
    project.settings(*SETTINGS, *LOCATIONS)
    folder = project.path / "lake"
    delta_log(folder / "own orders", field("id", nullable=False))
    delta_log(folder / "silver" / "Order%20Items", field("id"))
    delta_log(folder / "gold" / "sales", field("id"))
    project.run("--snapshot-update")
    return folder


def test_a_gate_shows_what_differs_and_how_to_align_it(project, lake, snapshot):
    assert project.run("--delta-drift").ret == 0
    commit(
        lake / "silver" / "Order%20Items", 1, metadata(field("id"), field("more", "string")), operation="ADD COLUMNS"
    )
    delta_log(lake / "silver" / "undeclared", field("id"))
    (lake / "gold" / "parquet").mkdir()
    (lake / "gold" / "parquet" / "a.parquet").touch()
    commit(lake / "gold" / "sales", 1, metadata(field("id"), comment="Old"))
    project.settings(*SETTINGS, 'unmanaged = "fail"', *LOCATIONS)

    result = project.run("--delta-drift", "-m", "delta_drift or delta_unmanaged")

    result.assert_outcomes(passed=1, failed=4)
    text = result.stdout.str().replace(str(project.path), "PROJECT")
    shown = [line for line in text.splitlines() if line.startswith("delta schema: ")]
    summary = text[text.index("\ndrift: ") + 1 : text.index("what a code means")]
    assert "\n".join([*shown, summary]) == snapshot(extension_class=TextSnapshot)
    assert "note: column more came with version 1, ADD COLUMNS of " in text


@pytest.mark.usefixtures("lake")
def test_contracts_of_the_past_are_compared_next_to_the_folders(project):
    project.run("--delta-drift", "--delta-against=.").stdout.fnmatch_lines(
        ["drift: 3 in sync, 0 statements run", "against .: 3 compatible"]
    )


@pytest.mark.usefixtures("lake")
def test_workers_show_the_same(project):
    project.run("--delta-drift", "-n2", subprocess=True).stdout.fnmatch_lines(
        ["drift: 3 in sync, 0 statements run"],
    )


def test_what_changes_a_table_is_refused(project, lake):
    before = sorted(lake.rglob("*"))
    for option, refusal in (
        (
            "--delta-apply",
            (
                "ERROR: --delta-apply changes tables, and the backend locations only reads them; apply with a session that"
                " knows them by these names: --delta-backend=session, with an override of delta_spark"
            ),
        ),
        (
            "--delta-sync-metadata",
            "ERROR: --delta-sync-metadata needs catalog entries, and the backend locations keeps none",
        ),
    ):
        result = project.run(option)
        assert (result.ret, [line for line in result.stderr.lines if "ERROR" in line]) == (4, [refusal])
    project.pytester.makepyfile(
        test_clone="""
        from models import orders

        def test_clone(delta_clone):
            delta_clone(orders)
        """
    )
    project.run("test_clone.py").stdout.fnmatch_lines(
        [
            (
                "the locations backend cannot clone tables: it only reads the folders of tables; create the table with"
                " make_delta_table, and insert its rows"
            ),
        ],
    )
    assert sorted(lake.rglob("*")) == before


def test_no_conformance_run_begins(capsys):
    assert main(["conformance", "--backend=locations", "--schema=dev.silver"]) == 1
    assert capsys.readouterr().err == (
        "error: the backend locations only reads tables, and a conformance run creates and changes some; give a backend"
        " that runs statements, such as session\n"
    )


def test_without_a_location_or_deltalake_nothing_begins(project, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *others: None if name == "deltalake" else find(name, *others)
    )
    project.models(MODELS)
    for locations, fault in (
        (
            (),
            (
                'ERROR: the locations backend needs the folders of schemas; set "dev.silver" = "s3://bucket/folder" in'
                " [tool.pytest_delta_schema.locations]"
            ),
        ),
        (
            ('locations = { "dev.silver" = "s3://lake" }',),
            (
                "ERROR: the locations backend needs deltalake, which is not installed; pip install"
                " 'pytest-delta-schema[locations]'"
            ),
        ),
    ):
        project.settings(*SETTINGS, *locations)
        result = project.run("--delta-drift")
        assert (result.ret, [line for line in result.stderr.lines if "ERROR" in line]) == (4, [fault])


def test_models_are_imported_and_drift_is_accepted(project, lake):
    delta_log(lake / "gold" / "Daily", field("day", "date"))
    commit(lake / "gold" / "sales", 1, metadata(field("id"), field("more", "string")))

    imported = project.run("--delta-import=dev.gold.d*=daily.py")
    adopted = project.run("--delta-adopt=diff", "-k", "sales")
    missing = project.run("--delta-import=dev.bronze")

    imported.stdout.fnmatch_lines(["import: 1 table written and proven", "  wrote       daily.py, 1 model"])
    assert 'Column("day", DateType())' in (project.path / "daily.py").read_text()
    adopted.stdout.fnmatch_lines(['*Column("more", StringType())*'])
    missing.stderr.fnmatch_lines(
        [
            (
                "ERROR: --delta-import=dev.bronze: the schema dev.bronze does not exist, or holds no table: the schema"
                ' dev.bronze has no location; set "dev.bronze" = "s3://bucket/folder" in'
                " [[]tool.pytest_delta_schema.locations]"
            )
        ]
    )


TESTS = """
from models import orders
from pytest_delta_schema import assert_table_equals

def test_made(make_delta_table, delta_catalog, delta_scratch_catalog, delta_versions, tmp_path):
    made = make_delta_table(orders, [{"id": 1}])

    assert (delta_catalog.name, delta_scratch_catalog.name) == ("locations", NAME)
    assert_table_equals(made, [{"id": 1}])
"""


@pytest.mark.usefixtures("lake")
def test_tests_and_enforcement_create_tables_elsewhere(project):
    project.pytester.makepyfile(test_job=TESTS.replace("NAME", "'memory'"))
    project.settings(*SETTINGS, 'scratch_backend = "memory"', *LOCATIONS)

    project.run().assert_outcomes(passed=7)
    project.run("--delta-drift", "--delta-enforce").stdout.fnmatch_lines(
        ["drift: 3 in sync, 0 statements run", "enforce: 3 enforced"],
    )


@pytest.mark.usefixtures("lake")
def test_each_test_gets_the_catalog_that_it_overrides(project):
    project.pytester.makepyfile(
        test_own="""
        import pytest
        from pytest_delta_schema import MemoryCatalog

        @pytest.fixture
        def delta_catalog():
            return MemoryCatalog()

        def test_own(delta_catalog, delta_scratch_catalog):
            assert delta_scratch_catalog is delta_catalog
        """,
        test_shared="""
        def test_shared(delta_catalog, delta_scratch_catalog):
            assert (delta_catalog.name, delta_scratch_catalog.name) == ("locations", "memory")
        """,
    )
    project.settings(*SETTINGS, 'scratch_backend = "memory"', *LOCATIONS)

    project.run("test_own.py", "test_shared.py").assert_outcomes(passed=2)


@pytest.mark.usefixtures("lake")
def test_a_backend_of_scratch_tables_that_cannot_make_them(project):
    for backend, fault in (
        (
            "locations",
            (
                "ERROR: --delta-enforce writes rows to scratch tables, which the backend locations cannot; run it with"
                ' scratch_backend = "local" in [tool.pytest_delta_schema]'
            ),
        ),
        ("oracle", "ERROR: scratch_backend: there is no delta backend 'oracle'; choose one of *"),
        ("unity", "ERROR: --delta-enforce creates tables, and others may use the catalogs of the backend unity; *"),
    ):
        project.run("--delta-enforce", f"--delta-set=scratch_backend={backend}").stderr.fnmatch_lines(
            [fault.replace("[", "[[]")]
        )


@pytest.mark.usefixtures("lake")
def test_no_jvm_starts_before_a_test_asks_for_a_scratch_table(project):
    project.pytester.makepyfile(test_job=TESTS.replace("NAME", "'local'"), test_plain="def test_plain():\n    pass\n")

    assert project.run("--deselect=test_job.py").ret == 0, "no JVM can be started"

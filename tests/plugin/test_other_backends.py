"""A backend of another distribution: found by its entry point, with its own options."""

from __future__ import annotations

import json
import os
from fnmatch import fnmatchcase

import pytest

BACKEND = """
from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.backends import Backend
from pytest_delta_schema.state import ColumnState, TableState
from pytest_delta_schema.write_check import StreamVerdict, WriteOptions, WriteVerdict


class MineCatalog(MemoryCatalog):
    name = "mine"

    def probe_write(self, table, frame, options=WriteOptions()):
        how = f"{options.method} {options.mode} {options.merge_schema}"
        return WriteVerdict(table=f"{table} {how}", accepted=False, columns=())


def _open(context):
    name = QualifiedName(*context.settings.option("mine_table").split("."))
    assert context.settings.option("mine_strict") is False
    assert context.warehouse().name == context.settings.values["warehouse"].rpartition("/")[2]
    context.call_at_end(_close)
    return MineCatalog([TableState(name=name, columns=(ColumnState("id", "bigint", True, ""),))])


def _close():
    with open("closed.txt", "a") as file:
        file.write("closed ")


def _faults(settings):
    if not settings.option("mine_table"):
        yield "the backend mine needs a table; give --mine-table"


def _location(settings):
    return f"table {settings.option('mine_table')}"


BACKEND = Backend(open=_open, faults=_faults, location=_location)
NO_BACKEND = "nothing"
"""
PLUGIN = """
def pytest_addoption(parser):
    parser.addoption("--mine-table", dest="mine_table")
    parser.addini("mine_table", "the table that is there", default="")
    parser.addini("mine_strict", "another setting", type="bool", default=False)
"""
MODEL = "orders = table('dev.silver.orders', Column('id', LongType()))\n"


def distribution(folder, name, **entry_points):
    """Write what pip leaves of a distribution."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = {"backends": "pytest_delta_schema.backends", "plugins": "pytest11"}
    lines = [line for key, points in entry_points.items() for line in (f"[{groups[key]}]", *points)]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def site(project, tmp_path, monkeypatch):
    """A folder on the path of inner runs with the distribution ``mine-backend``."""
    site = tmp_path / "site"
    distribution(site, "mine_backend", backends=["mine = mine:BACKEND"], plugins=["mine = mine_plugin"])
    (site / "mine.py").write_text(BACKEND)
    (site / "mine_plugin.py").write_text(PLUGIN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(site)
    project.models(MODEL)
    return site


@pytest.mark.usefixtures("site")
def test_a_gate_runs_on_it_in_a_worker(project):
    chosen = ("--delta-backend=mine", "--mine-table=dev.silver.orders")

    result = project.run("--delta-drift", "--snapshot-update", *chosen, "-n1", subprocess=True)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["delta schema: drift on mine, table dev.silver.orders", "drift: 1 in sync, *"])
    assert (project.path / "closed.txt").read_text() == "closed "


@pytest.mark.usefixtures("site")
def test_an_apply_creates_what_is_missing(project):
    project.ini("mine_table = dev.silver.other")
    project.settings('models = ["models"]', 'backend = "mine"')

    result = project.run("--delta-apply", "--snapshot-update")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        ["delta schema: apply on mine, table dev.silver.other", "apply: 1 applied, 1 statement run"],
    )


@pytest.mark.usefixtures("site")
def test_it_can_try_writes_for_the_fixture_that_does(project):
    project.ini("mine_table = dev.silver.orders")
    project.settings()
    project.pytester.makepyfile(
        test_x="""
        from pytest_delta_schema import WriteOptions

        def test_probe(delta_probe):
            verdict = delta_probe("dev.silver.orders", None, WriteOptions(method="write_to", merge_schema=True))
            assert (verdict.table, verdict.accepted) == ("dev.silver.orders write_to append True", False)
        """,
    )

    mine, memory = (project.run(f"--delta-backend={name}", "test_x.py") for name in ("mine", "memory"))

    mine.assert_outcomes(passed=1)
    memory.assert_outcomes(errors=1)
    memory.stdout.fnmatch_lines(["*the memory backend cannot try writes; use check_write, or the local backend"])


CHOICES = "choose one of local, memory, session, unity, locations, databricks; installed besides: mine"
WRONG = [
    (["--delta-drift", "--delta-backend=mine"], "the backend mine needs a table; give --mine-table"),
    (
        ["--delta-sync-metadata", "--delta-backend=mine", "--mine-table=x"],
        "--delta-sync-metadata needs catalog entries, and the backend mine keeps none",
    ),
    (["--delta-backend=mime"], f"there is no delta backend 'mime' (did you mean 'mine'?); {CHOICES}"),
]


@pytest.mark.usefixtures("site")
def test_usage_errors(project):
    assert [(args, *project.faults(*args)) for args, _ in WRONG] == WRONG


UNUSABLE = {
    "mine:NO_BACKEND": "the entry point 'bad_0' of bad_0 1.0 (mine:NO_BACKEND) is 'nothing', not a Backend; *",
    "no_such_module:BACKEND": "the delta backend 'bad_1' of * cannot be loaded (ModuleNotFoundError: *",
    "twin:BACKEND": (
        "the delta backend 'mine' is installed more than once, by mine_backend 1.0 (mine:BACKEND) and"
        " twin_backend 1.0 (twin:BACKEND); uninstall all but one"
    ),
}


def test_an_entry_point_that_cannot_be_used(project, site):
    names = ["bad_0", "bad_1", "mine"]
    for name, target in zip(names, UNUSABLE, strict=True):
        distribution(site, "twin_backend" if name == "mine" else name, backends=[f"{name} = {target}"])
    for name, message in zip(names, UNUSABLE.values(), strict=True):
        (fault,) = project.faults("--delta-drift", f"--delta-backend={name}")

        assert fnmatchcase(fault, message.replace("[", "[[]")), fault


HIDING = """
import pytest
from pytest_delta_schema import DatabricksCatalog, MemoryCatalog
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.testing.databricks import DatabricksDouble


class Doubled(DatabricksCatalog):
    def run(self, statement):
        self._connection.run(statement)


@pytest.fixture(scope="session")
def delta_catalog():
    double = DatabricksDouble(MemoryCatalog())
    hidden = StatementError("[PERMISSION_DENIED] no", condition="PERMISSION_DENIED")
    double.refused = {"DESCRIBE TABLE EXTENDED": hidden, "SHOW CREATE TABLE": hidden}
    return Doubled(double)
"""
DEFAULTED = "orders = table('dev.silver.orders', Column('id', LongType()), Column('n', LongType(), default='1'))\n"


def test_what_a_catalog_does_not_show_is_named_in_all_outputs(project):
    project.models(DEFAULTED)
    project.pytester.makeconftest(HIDING)
    reports = [f"--delta-report={kind}:out.{kind}" for kind in ("json", "html", "markdown")]

    applied = project.run("--delta-apply", *reports, "--junitxml=out.xml", "-m", "delta_apply")

    applied.assert_outcomes(skipped=1)
    assert (
        "apply: 1 not proven, 2 statements run\n"
        "  not proven (not compared: defaults)  dev.silver.orders: its statements ran, and the catalog does not show all"
        " that they changed\n"
    ) in applied.stdout.str()
    label = "not proven (not compared: defaults)"
    for name in ("out.html", "out.markdown", "out.xml"):
        assert label in (project.path / name).read_text("utf-8"), name
    (entry,) = json.loads((project.path / "out.json").read_text("utf-8"))["tables"]
    assert entry["outcome"] == "not proven"
    assert [(note["code"], note["message"]) for note in entry["notes"]] == [
        ("DS716", "not compared: defaults; the catalog does not show them")
    ]
    assert "1 of 1 table is not proven" in (project.path / "out.markdown").read_text("utf-8")


HELD = (
    HIDING.replace("double = DatabricksDouble(MemoryCatalog())", "double = DatabricksDouble(made())")
    + """


def made():
    from pytest_delta_schema import Column, Orchestrator, Table

    catalog = MemoryCatalog()
    columns = [Column("id", "bigint"), Column("n", "bigint", default="1")]
    Orchestrator.over(catalog).sync_tables([Table("dev", "silver", "orders", columns)])
    return catalog
"""
)


def test_a_table_of_which_not_all_is_shown_is_in_sync_with_what_was_not_compared(project):
    project.models(DEFAULTED)
    project.pytester.makeconftest(HELD)

    drift = project.run("--delta-drift", "--delta-report=json:out.json", "-m", "delta_drift")

    drift.assert_outcomes(passed=1)
    shown = "drift: 1 in sync, 0 statements run\n  in sync (not compared: defaults)  dev.silver.orders\n"
    assert shown in drift.stdout.str()
    (entry,) = json.loads((project.path / "out.json").read_text("utf-8"))["tables"]
    assert [note["code"] for note in entry["notes"]] == ["DS716"]

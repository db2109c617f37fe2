"""Runs with workers of xdist show, write and return what a run in one process does.

Other tests say what a run in one process does. A worker takes more than a second to start, so one run tries many things.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from support.plugin_project import ORDERS, consent
from support.runs import shown_and_written

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.plugin_project import Project

REPORTS = ("--junitxml=report.xml", "--delta-report=json:report.json")
FAMILY = """
from pytest_delta_schema import ForeignKey
ID = Column("id", LongType(), is_nullable=False)
a_children = table("dev.silver.a_children", ID, Column("parent", LongType()),
    foreign_keys=[ForeignKey(["parent"], "dev.silver.parents")])
parents = table("dev.silver.parents", ID, primary_key=["id"])
legacy = table("dev.silver.legacy", ID, table_properties={"delta.columnMapping.mode": "name"})
"""
LEGACY = """stored("dev.silver.legacy", ID, OLD._replace(name="legacy"),
    table_properties={"delta.columnMapping.mode": "name"})"""
BEFORE = 'stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))'


# A gate

GATE_MODELS = f"""{ORDERS}
same = table("dev.silver.same", Column("id", LongType(), is_nullable=False))
blocked = table("dev.silver.blocked", Column("b", LongType(), is_nullable=False))
view = table("dev.silver.view", Column("id", LongType()))
spelled = table("dev.silver.spelled", Column("ID", LongType(), is_nullable=False))
appended = table("dev.silver.appended", Column("id", LongType(), is_nullable=False))
wrong = table("dev.silver.wrong", Column("id", LongType()), Column("ID", LongType()), primary_key=["id", "x"])
missing = table("dev.gold.missing", Column("id", LongType()))
{FAMILY}"""
GATE_CATALOG = f"""Partly([
    {BEFORE}, {LEGACY}, stored("dev.silver.same", ID), stored("dev.silver.blocked", ID), stored("dev.silver.spelled", ID),
    stored("dev.silver.appended", ID, ColumnState("extra", "double", True, "")), stored("dev.silver.stray", ID),
])
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state.states import IntroducedBy

class Partly(MemoryCatalog):
    def snapshot(self, models):
        state = MemoryCatalog.snapshot(self, [model for model in models if model.table_name != "view"])
        view = Diagnostic(table="dev.silver.view", message="is a view, not a table", remedy="drop the view")
        problems = {{QualifiedName("dev", "silver", "view"): view}} if len(models) > len(state.tables) else {{}}
        return CatalogState(tables=dict(state.tables), problems=problems)

    def introduced_by(self, table, paths):
        if table.table == "legacy":
            raise StatementError("the log is gone")
        about = dict(version=3, operation="WRITE", time="2026-11-21 03:00:00", user_metadata="nightly load")
        return tuple(IntroducedBy(path=path, **about) for path in paths)
"""


def gate(project: Project) -> None:
    project.settings(
        'models = ["models"]', 'unmanaged = "fail"', consent("dev.silver.*.legacy"), consent("dev.silver.*.gone")
    )
    project.models(GATE_MODELS)
    project.catalog(GATE_CATALOG)


GATE = (
    "  drifted     dev.silver.orders has drifted, 8 changes: columns.amount, columns.id, primary_key and 5 more",
    "  unreadable  dev.silver.view: is a view, not a table; drop the view",
    "  note        dev.silver.spelled: column ID is stored as id;*",
    "*note: column extra was appended by a writer, in version 3, WRITE of 2026-11-21 03:00:00 UTC ('nightly load'):*",
    "*note: the commit that added legacy is not known: the log is gone*",
    "*DS201 NotNullColumnAdded*",
    "*dev.silver holds 1 table that no model declares: dev.silver.stray",
    "dev.silver.wrong: *DS104 InvalidPrimaryKeyColumn*",
)


def broken(project: Project) -> None:
    project.models(ORDERS + FAMILY)
    project.pytester.makeconftest(
        """
import pytest

@pytest.fixture(scope="session")
def delta_catalog():
    raise RuntimeError("no https://user:secret@catalog.example/x today")

@pytest.fixture(autouse=True)
def broken(request):
    if request.node.nodeid.endswith("parents::rules"):
        assert not "here"
""",
    )


# Snapshots

PACKAGE = {
    "__init__.py": "",
    "jobs.py": "RATE = 7\n",
    "gold/sales.py": "from pytest_delta_schema import Column, Table\n"
    'sales = Table("dev", "gold", "sales", [Column("id", "bigint")])\n',
}
DAMAGED = "".join(
    f"{name} = table('dev.silver.{name}', Column('id', LongType()))\n"
    for name in ("newer", "without_sql", "without_state", "other_layout")
)
REVIEWED = f"""{ORDERS}
other = table("dev.silver.other", Column("id", LongType()))
left = table("dev.silver.left", Column("id", LongType(), is_nullable=False), primary_key=["id"])
{DAMAGED}"""
CHANGED = f"""{ORDERS.replace("18, 2", "20, 2")}
other = table("dev.silver.other", Column("id", LongType()), comment="Other")
left = table("dev.silver.left", Column("id", LongType(), is_nullable=False), primary_key=["x"])
new = table("dev.silver.new", Column("id", LongType()))
moved = table("dev.silver.moved", Column("id", LongType()))
{DAMAGED}"""
SNAPSHOT_TEST = "def test_it(delta_snapshot):\n    assert {!r} == delta_snapshot\n"


def reviewed(project: Project, changed: str = CHANGED) -> None:
    """Write a project whose snapshots are complete, and change it."""
    project.settings('models = ["shop", "models"]')
    for name, text in PACKAGE.items():
        path = project.path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    project.models(f"{REVIEWED}gone = table('dev.silver.gone', Column('id', LongType()))\n")
    project.accept()
    project.accept(project.path / "shop" / "gold" / "sales.py")
    project.pytester.makepyfile(test_sql=SNAPSHOT_TEST.format("SELECT 1;"))
    folder = project.path / "__snapshots__" / "test_sql"
    folder.mkdir()
    (folder / "test_it.sql").write_text("SELECT 1;\n")
    project.models(changed)
    folder = project.path / "__snapshots__/models"
    (folder / "dev.silver.without_sql.ddl.sql").unlink()
    (folder / "dev.silver.without_state.state.json").unlink()
    for name, old, new in (("newer", '"version": 1', '"version": 9'), ("other_layout", "\n", "\r\n")):
        file = folder / f"dev.silver.{name}.state.json"
        file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))


def reviewed_and_changed(project: Project) -> None:
    reviewed(project)
    project.pytester.makepyfile(test_sql=SNAPSHOT_TEST.format("SELECT 2;"))
    project.settings('models = ["models"]')


def shrunk(project: Project) -> None:
    reviewed(project, REVIEWED)


# What is collected and selected

SHOP = """
import pytest

def test_sum(delta_worker_id): pass

@pytest.mark.parametrize("value", ["a", "b::c"])
def test_value(value): pass

class TestGroup:
    def test_one(self): pass
    def test_two(self): pass
"""


def shop(project: Project) -> None:
    project.settings('models = ["models"]', 'backend = "unity"')
    project.models(ORDERS)
    project.pytester.makepyfile(test_shop=SHOP)
    project.accept()


NODES = ("test_shop.py::test_value[b::c]", "test_shop.py::TestGroup", "./test_shop.py::test_sum", "test_shop.py", ".")
MEMORY = "--delta-backend=memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A project, the arguments of its runs, and lines that they show."""

    write: Callable[[Project], None]
    args: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    workers: str = "-n1"


CASES = {
    "gate": Case(write=gate, workers="-n2", args=("--delta-drift", *REPORTS, "-W", "error"), lines=GATE),
    "gate with broken fixtures": Case(
        write=broken,
        args=("--delta-drift", *REPORTS),
        lines=("*RuntimeError: no https://user*catalog.example/x today",),
    ),
    "snapshots": Case(
        write=reviewed_and_changed,
        workers="-n2",
        args=("--color=yes", *REPORTS),
        lines=(
            "dev.silver.other: its SQL is not the one in the snapshot",
            "*::error file=models.py,*",
            "*is of a table that is not declared; delete it*",
        ),
    ),
    "update of everything": Case(write=shrunk, args=("--snapshot-update",)),
    "node ids": Case(
        write=shop,
        args=("--delta-drift", MEMORY, "models.py", *NODES, "--junitxml=report.xml"),
        lines=("1 other test did not run, because --delta-*",),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_workers_show_and_write_what_one_process_does(project, monkeypatch, case):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    results = []
    for workers in ((), (case.workers,)):
        for path in project.path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        project.ini()
        project.settings('models = ["models"]')
        case.write(project)
        (project.path / "summary.md").write_text("of another step\n")
        result = project.run(*case.args, *workers)
        results.append(shown_and_written(result, project.path))
        result.stdout.fnmatch_lines_random(list(case.lines))

    serial, parallel = results
    assert parallel == serial


def test_workers_name_all_that_cannot_be_collected_and_keep_the_snapshots(project):
    reviewed(project)
    project.settings('models = ["shop", "models", "again", "ending"]')
    shutil.rmtree(project.path / "shop" / "gold")
    before = project.snapshots()
    project.models('again = table("DEV.silver.orders", Column("id", LongType()))\n', "again")
    project.pytester.makepyfile(ending="import sys\nsys.exit('no settings')\n")

    result = project.run("--snapshot-update", "-n1")

    result.stdout.fnmatch_lines_random(
        [
            "*dev.silver.orders is declared twice, at again.py:7 and models.py:8; keep one*",
            "models: ending.py:2: ending ends Python when it is imported, by SystemExit: no settings*",
            "models: the package shop declares no table in any of its modules: shop, shop.jobs",
        ],
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    assert set(before) <= set(project.snapshots())


def test_an_apply_has_no_workers(project):
    project.models(ORDERS)
    project.catalog("MemoryCatalog()")
    project.ini("addopts = -n2")

    result = project.run("--delta-apply", "-m", "delta_apply")

    result.stdout.fnmatch_lines(
        [
            "delta schema: --delta-apply runs in one process; the workers of xdist are turned off",
            "apply: 1 applied, 3 statements run",
        ],
    )
    result.stdout.no_fnmatch_line("*created: *worker*")

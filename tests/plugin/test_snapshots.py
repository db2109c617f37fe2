"""Snapshots: the SQL of a table with its state next to it, and what syrupy would delete."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.plugin_project import ORDERS

if TYPE_CHECKING:
    from collections.abc import Callable

SQL, STATE = "__snapshots__/models/dev.silver.orders.ddl.sql", "__snapshots__/models/dev.silver.orders.state.json"
OTHER = "\nother = table('dev.silver.other', Column('id', LongType()))\n"
WORKERS = pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["serial", "xdist"])
REVIEWED = """\
{
  "version": 1,
  "name": "dev.silver.orders",
  "comment": "Orders table",
  "columns": [
    {"name": "id", "type": "bigint", "is_nullable": false, "comment": "Order ID"},
    {"name": "created_ts", "type": "timestamp", "comment": "Creation time"},
    {"name": "amount", "type": "decimal(18,2)", "comment": "Order total"}
  ],
  "primary_key": {"name": "pk_dev_silver_orders__id", "columns": ["id"]},
  "properties": {
    "delta.autoOptimize.optimizeWrite": "true"
  }
}
"""
OPTIONS = """
    owns={"comments": "report"},
    evolution="additive",
    clients=["delta-spark>=4.0"],
    column_order="report",
"""


@pytest.fixture
def reviewed(project):
    """A project with one table whose snapshot is complete."""
    project.models(ORDERS)
    project.run("--snapshot-update").assert_outcomes(passed=2)
    return project


def with_options(options: str) -> str:
    return ORDERS.replace('    primary_key=["id"],\n', f'    primary_key=["id"],{options}')


def renamed(model: str) -> str:
    return model.replace(
        'Column("amount", DecimalType(18, 2),',
        'Column("amount", DecimalType(18, 2), renamed_from="x",',
    )


def test_the_state_is_written_next_to_the_sql(reviewed):
    assert reviewed.snapshots() == [SQL, STATE]
    assert (reviewed.path / STATE).read_bytes() == REVIEWED.encode()
    reviewed.run().assert_outcomes(passed=2)


def test_it_holds_what_the_model_declares_and_sql_does_not(reviewed):
    reviewed.models(renamed(with_options(OPTIONS)))

    reviewed.run("--snapshot-update").assert_outcomes(passed=2)

    assert (
        json.loads((reviewed.path / STATE).read_text("utf-8")).items()
        > {
            "renames": [{"path": "amount", "renamed_from": "x"}],
            "column_order": "report",
            "owns": {"comments": "report"},
            "evolution": "additive",
            "clients": ["delta-spark>=4.0"],
        }.items()
    )


def layout(change: Callable[[str], str]) -> Callable[[Path], None]:
    """Return what changes the file of the state."""

    def write(folder: Path) -> None:
        file = folder / STATE
        file.write_bytes(change(file.read_bytes().decode()).encode("utf-8", "surrogateescape"))

    return write


EQUAL = {
    "other white space": lambda text: json.dumps(json.loads(text), indent=1),
    "other order of keys": lambda text: json.dumps(json.loads(text), sort_keys=True),
    "defaults written out": lambda text: text.replace('"type": "bigint"', '"type": "bigint", "default": null'),
    "Windows line ends": lambda text: text.replace("\n", "\r\n"),
}


@WORKERS
@pytest.mark.parametrize("change", EQUAL.values(), ids=EQUAL)
def test_a_file_of_another_layout_passes_and_stays(reviewed, change, workers):
    layout(change)(reviewed.path)
    before = (reviewed.path / STATE).read_bytes()

    reviewed.run(*workers).assert_outcomes(passed=2)
    reviewed.run("--snapshot-update", *workers).assert_outcomes(passed=2)

    assert (reviewed.path / STATE).read_bytes() == before


def test_a_file_of_another_layout_stays_if_only_the_sql_is_written(reviewed):
    layout(EQUAL["other order of keys"])(reviewed.path)
    before = (reviewed.path / STATE).read_bytes()
    (reviewed.path / SQL).write_text("SELECT 1;\n")

    reviewed.run("--snapshot-update").assert_outcomes(passed=2)

    assert (reviewed.path / STATE).read_bytes() == before
    assert (reviewed.path / SQL).read_text() != "SELECT 1;\n"


CHANGED = {
    "ownership": (
        with_options('\n    owns={"comments": "report"},\n'),
        "its state is not the one in the snapshot",
        ['+  "owns": {', '+    "comments": "report"'],
    ),
    "clients": (
        with_options('\n    clients=["delta-spark>=4.0"],\n'),
        "its state is not the one in the snapshot",
        ['+  "clients": [[]"delta-spark>=4.0"[]]'],
    ),
    "a former name": (
        renamed(ORDERS),
        "its state is not the one in the snapshot",
        ['+  "renames": [[]', '+    {"path": "amount", "renamed_from": "x"}'],
    ),
    "a type": (
        ORDERS.replace("18, 2", "20, 2"),
        "its SQL is not the one in the snapshot",
        ["+  `amount` DECIMAL(20,2) COMMENT 'Order total'"],
    ),
}


@WORKERS
@pytest.mark.parametrize(("model", "head", "lines"), CHANGED.values(), ids=CHANGED)
def test_a_change_is_one_failure_with_one_difference(reviewed, model, head, lines, workers):
    reviewed.models(model)

    result = reviewed.run(*workers)

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"dev.silver.orders: {head}", *lines, "review it, and accept it with: *"])
    assert sum(line == "--- reviewed" for line in result.outlines) == 1
    assert sum(line.startswith("FAILED ") for line in result.outlines) == 1
    reviewed.run("--snapshot-update", *workers).assert_outcomes(passed=2)
    reviewed.run(*workers).assert_outcomes(passed=2)


NEWER = "the snapshot of its state cannot be read: is of version 9, and this release reads version 1"
DAMAGED = {
    "a conflict": (
        layout(lambda text: text.replace("{\n", "{\n<<<<<<< HEAD\n", 1)),
        "the snapshot of its state cannot be read: has a conflict of a merge in line 2",
        "dev.silver.orders.state.json: has a conflict of a merge in line 2; restore it",
    ),
    "no JSON": (
        layout(lambda text: text[:-3]),
        "the snapshot of its state cannot be read: is not valid JSON: Expecting *",
        "dev.silver.orders.state.json: is not valid JSON: Expecting *; restore it",
    ),
    "no UTF-8": (
        layout(lambda text: f"\udcff{text}"),
        "the snapshot of its state cannot be read: is not UTF-8",
        "dev.silver.orders.state.json: is not UTF-8; restore it",
    ),
    "an unknown key": (
        layout(lambda text: text.replace('"comment": "Orders', '"coment": "Orders')),
        "the snapshot of its state cannot be read: has the unknown key 'coment'",
        "dev.silver.orders.state.json: has the unknown key 'coment'; write 'comment'",
    ),
}


@WORKERS
@pytest.mark.parametrize(("damage", "head", "fact"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_named_and_can_be_written_again(reviewed, damage, head, fact, workers):
    damage(reviewed.path)

    result = reviewed.run(*workers)

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"dev.silver.orders: {head}", fact, "Write it again with: pytest --snapshot-update"])
    result.stdout.no_fnmatch_line("*Traceback*")
    reviewed.run("--snapshot-update", *workers).assert_outcomes(passed=2)
    assert (reviewed.path / STATE).read_text() == REVIEWED


@pytest.mark.parametrize("file", [SQL, STATE], ids=["sql", "state"])
def test_a_file_that_cannot_be_written_keeps_its_bytes(reviewed, file, monkeypatch):
    before = (reviewed.path / file).read_bytes()
    reviewed.models(ORDERS.replace("Order total", "Sum"))
    write = Path.write_bytes

    def full(path, content):
        write(path, content[: len(content) // 2] if Path(file).name in path.name else content)
        if Path(file).name in path.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    result = reviewed.run("--snapshot-update")

    result.assert_outcomes(passed=1, failed=1)
    fault = f"*{file} cannot be written: No space left on device; make its folder writable, or name another path"
    result.stdout.fnmatch_lines([f"dev.silver.orders: the snapshot cannot be read or written: {fault}"])
    assert (reviewed.path / file).read_bytes() == before
    assert not list((reviewed.path / file).parent.glob(".*"))


@WORKERS
def test_a_file_of_a_newer_release_is_not_written_again(reviewed, workers):
    layout(lambda text: text.replace('"version": 1', '"version": 9'))(reviewed.path)
    before = (reviewed.path / STATE).read_bytes()

    for args in ([], ["--snapshot-update"]):
        result = reviewed.run(*args, *workers)

        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(
            [
                f"dev.silver.orders: {NEWER}",
                "dev.silver.orders.state.json: is of version 9, *; upgrade pytest-delta-schema",
            ],
        )
        result.stdout.no_fnmatch_line("Write it again*")

    assert (reviewed.path / STATE).read_bytes() == before


@WORKERS
@pytest.mark.parametrize(
    ("file", "line"),
    [(SQL, "CREATE TABLE `dev`.`silver`.`orders` ("), (STATE, '  "name": "dev.silver.orders",')],
)
def test_one_missing_file_is_a_missing_snapshot(reviewed, file, line, workers):
    (reviewed.path / file).unlink()

    result = reviewed.run(*workers)

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["dev.silver.orders: there is no snapshot yet", line])
    reviewed.run("--snapshot-update", *workers).assert_outcomes(passed=2)
    assert reviewed.snapshots() == [SQL, STATE]


@WORKERS
@pytest.mark.parametrize("missing", [None, "ddl.sql", "state.json"])
def test_the_files_of_a_table_that_is_not_declared_any_more_are_one_unused_snapshot(project, missing, workers):
    project.models(ORDERS + OTHER)
    project.run("--snapshot-update")
    stem = "__snapshots__/models/dev.silver.other"
    if missing:
        (project.path / f"{stem}.{missing}").unlink()
    shown = {None: f"{stem}.ddl.sql (with .state.json)", "ddl.sql": f"{stem}.state.json"}.get(
        missing,
        f"{stem}.ddl.sql",
    )
    project.models(ORDERS)

    result = project.run(*workers)

    assert [line for line in result.outlines if "is of a table" in line] == [
        f"{shown} is of a table that is not declared; delete it: pytest --snapshot-update",
    ]
    result.stdout.fnmatch_lines(["1 snapshot passed. 1 snapshot unused."])
    project.run("--snapshot-update", *workers).stdout.fnmatch_lines(["1 snapshot passed. 1 unused snapshot deleted."])
    assert project.snapshots() == [SQL, STATE]


@WORKERS
def test_the_files_of_a_table_that_moved_to_another_module_say_so(project, workers):
    project.models(ORDERS + OTHER)
    project.run("--snapshot-update")
    project.models(ORDERS)
    project.models(OTHER, "others")
    project.settings('models = ["models", "others"]')
    moved = project.path / "__snapshots__/others"
    moved.mkdir()
    for file in sorted((project.path / "__snapshots__/models").glob("dev.silver.other.*")):
        (moved / file.name).write_bytes(file.read_bytes())

    result = project.run(*workers)

    assert [line for line in result.outlines if "is of a table" in line] == [
        (
            "__snapshots__/models/dev.silver.other.ddl.sql (with .state.json) is of a table that moved to others.py; delete"
            " it: pytest --snapshot-update"
        ),
    ]


@WORKERS
@pytest.mark.parametrize("args", [["-k", "other"], ["models.py::dev.silver.other"]], ids=["word", "node"])
def test_updating_a_part_keeps_the_states_of_the_rest(project, args, workers):
    project.models(ORDERS + OTHER)
    project.run("--snapshot-update")
    project.models(OTHER)
    before = project.snapshots()

    project.run("--snapshot-update", *args, *workers)

    assert len(before) == 4
    assert project.snapshots() == before


@WORKERS
def test_tests_that_keep_json_in_the_same_folder_do_not_claim_the_states(reviewed, workers):
    reviewed.pytester.makepyfile(
        test_api="""
        from syrupy.extensions.json import JSONSnapshotExtension

        def test_it(snapshot):
            assert snapshot.use_extension(JSONSnapshotExtension) == {"a": 1}
        """,
    )
    files = ["__snapshots__/models/dev.silver.orders.ddl.sql", STATE, "__snapshots__/test_api/test_it.json"]

    for args in (["--snapshot-update"], ["--snapshot-update"], []):
        result = reviewed.run(*args, *workers)

        result.assert_outcomes(passed=3)
        assert result.ret == 0
        result.stdout.no_fnmatch_line("*unused*")
        assert reviewed.snapshots() == files


REPEATS = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--count", type=int, default=1)

@pytest.fixture
def step(request):
    return request.param

def pytest_generate_tests(metafunc):
    count = metafunc.config.option.count
    if count > 1:
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", range(count), indirect=True, ids=lambda n: f"{n + 1}-{count}")
"""
"""What pytest-repeat 0.9 does."""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_items_that_are_repeated_have_the_snapshot_of_their_table(project, workers):
    project.models(ORDERS)
    project.pytester.makeconftest(REPEATS)
    twice = ("--count=2", *workers)
    files = [f"__snapshots__/models/dev.silver.orders{name}" for name in (".ddl.sql", ".state.json")]

    for args, passed in (
        (["--snapshot-update", *twice], 4),
        (["--snapshot-update"], 2),
        (twice, 4),
        (["--snapshot-update", *twice], 4),
        ([], 2),
    ):
        result = project.run(*args, subprocess=bool(workers))

        result.assert_outcomes(passed=passed)
        assert result.ret == 0
        result.stdout.no_fnmatch_line("*is of a table*")
        result.stdout.no_fnmatch_line("*unused*")
        assert project.snapshots() == files


def test_a_repeated_item_shows_that_its_snapshot_differs(reviewed):
    reviewed.pytester.makeconftest(REPEATS)
    reviewed.models(renamed(ORDERS))

    result = reviewed.run("--count=2")

    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*its state is not the one in the snapshot"] * 2)
    result.stdout.no_fnmatch_line("*is of a table*")


FORKS = """
import json, os, pytest
from _pytest.runner import runtestprotocol

def pytest_addoption(parser):
    parser.addoption("--forked", action="store_true")

def in_fork(item, file):
    if os.fork() == 0:
        status = 3
        try:
            reports = [report._to_json() for report in runtestprotocol(item, log=False)]
            with open(file, "w") as stream:
                json.dump(reports, stream)
            status = 0
        finally:
            os._exit(status)
    assert os.wait()[1] == 0
    with open(file) as stream:
        return [pytest.TestReport._from_json(report) for report in json.load(stream)]

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    if item.config.option.forked:
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in in_fork(item, f"{os.getpid()}.json"):
            item.ihook.pytest_runtest_logreport(report=report)
        return True
"""
"""What pytest-forked does, with reports as pytest 9.2 can send them."""


def test_items_in_forks_show_their_outcomes_and_delete_no_snapshot(project):
    project.models(ORDERS)
    project.catalog("MemoryCatalog()")
    conftest = project.path / "conftest.py"
    conftest.write_text(f"{conftest.read_text('utf-8')}\n{FORKS}", "utf-8")
    files = [f"__snapshots__/models/dev.silver.orders{name}" for name in (".ddl.sql", ".state.json")]

    for _ in range(2):
        project.run("--snapshot-update", "--forked", subprocess=True).assert_outcomes(passed=2)

        assert project.snapshots() == files
    result = project.run("--delta-drift", "--forked", subprocess=True)

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["drift: 1 drifted, 0 statements run", "  drifted     dev.silver.orders does not exist *"]
    )
    result.stdout.no_fnmatch_line("*is of a table*")


def test_bindings_backends_and_modes_change_no_state(reviewed):
    reviewed.catalog("MemoryCatalog()")

    for args in (["--delta-drift", "--delta-bind=dev.silver=ci.pr_7"], ["--delta-drift"]):
        reviewed.run("--snapshot-update", "-m", "delta_ddl", *args).assert_outcomes(passed=1)

        assert (reviewed.path / STATE).read_text() == REVIEWED


def test_the_clients_and_properties_of_the_project_are_part_of_the_state(project):
    project.settings('models = ["models"]', 'default_properties = { "team" = "sales" }', 'clients = ["trino>=470"]')
    project.models(ORDERS)

    project.run("--snapshot-update").assert_outcomes(passed=2)

    state = json.loads((project.path / STATE).read_text("utf-8"))
    assert state["clients"] == ["trino>=470"]
    assert state["properties"]["team"] == "sales"


TWO = f"{ORDERS}\nother = table('dev.silver.other', Column('id', LongType()))\n"
ADVICE = ["*not recommended*", "*snapshot* unused*", "*--snapshot-update to delete*", "*is of a table*"]
UNKNOWN = "--delta-allow=drop-column dev.silver.orders.nothing"


@pytest.fixture
def reviewed_by_syrupy(project):
    """A project whose snapshots are complete."""
    project.models(TWO)
    project.catalog("""MemoryCatalog([stored("dev.silver.orders", ID), stored("dev.silver.other", OLD)])""")
    project.run("--snapshot-update")
    return project


@pytest.mark.parametrize(
    ("args", "code"),
    [
        pytest.param(["--collect-only"], 0, id="collection"),
        pytest.param(["--collect-only", "-k", "other"], 0, id="collection by word"),
        pytest.param(["--delta-drift", "--delta-allow=drop-column dev.gold.x.y"], 4, id="no such table"),
        pytest.param(["--delta-drift", UNKNOWN], 4, id="no such column"),
        pytest.param(["--delta-drift", "--delta-bind=a.b=c.d"], 4, id="no such binding"),
    ],
)
def test_there_is_no_advice_after_a_run_without_tests(reviewed_by_syrupy, args, code):
    result = reviewed_by_syrupy.run(*args)

    assert result.ret == code
    for line in ADVICE:
        result.stdout.no_fnmatch_line(line)
    assert len(reviewed_by_syrupy.snapshots()) == 4


def test_the_file_of_a_table_that_is_not_declared_any_more_is_named(reviewed_by_syrupy):
    reviewed_by_syrupy.models(ORDERS)

    result = reviewed_by_syrupy.run()

    (line,) = (line for line in result.outlines if "is of a table" in line)
    assert line == (
        "__snapshots__/models/dev.silver.other.ddl.sql (with .state.json) is of a table that is not declared; delete it:"
        " pytest --snapshot-update"
    )
    reviewed_by_syrupy.run("--snapshot-update").stdout.no_fnmatch_line("*is of a table*")
    assert reviewed_by_syrupy.snapshots() == [
        "__snapshots__/models/dev.silver.orders.ddl.sql",
        "__snapshots__/models/dev.silver.orders.state.json",
    ]


@pytest.mark.parametrize("args", [[], ["-m", "delta_ddl"]])
def test_there_is_no_advice_after_a_violation_of_a_rule(reviewed_by_syrupy, args):
    reviewed_by_syrupy.models(TWO.replace('"id"]', '"no"]'))

    result = reviewed_by_syrupy.run(*args)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for line in ADVICE:
        result.stdout.no_fnmatch_line(line)
    assert len(reviewed_by_syrupy.snapshots()) == 4


@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["serial", "xdist"])
@pytest.mark.parametrize("update", [[], ["--snapshot-update"]], ids=["check", "update"])
def test_there_is_no_advice_after_a_module_that_raises(reviewed_by_syrupy, update, workers):
    reviewed_by_syrupy.models("raise OSError")

    result = reviewed_by_syrupy.run(*update, *workers)

    assert result.ret != pytest.ExitCode.OK
    for line in ADVICE:
        result.stdout.no_fnmatch_line(line)
    assert len(reviewed_by_syrupy.snapshots()) == 4


def test_a_snapshot_whose_table_is_gone_is_still_reported(reviewed_by_syrupy):
    reviewed_by_syrupy.models(ORDERS)

    result = reviewed_by_syrupy.run()

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*1 snapshot unused*", "*--snapshot-update to delete*"])

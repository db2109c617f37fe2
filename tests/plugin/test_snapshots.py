"""Snapshots: the SQL of a table with its state next to it, and what syrupy would delete."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from support.plugin_project import ORDERS, REPEATS
from support.snapshots import TextSnapshot

FOLDER = "__snapshots__/models/dev.silver."
ONE = [f"{FOLDER}orders.ddl.sql", f"{FOLDER}orders.state.json"]
BOTH = [*ONE, f"{FOLDER}other.ddl.sql", f"{FOLDER}other.state.json"]
OTHER = "\nother = table('dev.silver.other', Column('id', LongType()))\n"
OPTIONS = {
    '"amount", ': '"amount", renamed_from="x", data_type=',
    'primary_key=["id"],': 'primary_key=["id"], owns={"comments": "report"}, evolution="additive",'
    ' clients=["delta-spark>=4.0"], column_order="report",',
}


def model(name, **options):
    """Return the declaration of a table with one column."""
    arguments = "".join(f", {option}={value!r}" for option, value in options.items())
    return f"{name} = table('dev.silver.{name}', Column('id', LongType(), comment='Key'){arguments})\n"


def edited(project, name, file, change):
    """Change the text of a snapshot; surrogates stand for bytes that are not UTF-8."""
    path = project.path / f"{FOLDER}{name}.{file}"
    path.write_bytes(change(path.read_bytes().decode()).encode("utf-8", "surrogateescape"))


def contents(project):
    return {name: (project.path / name).read_bytes() for name in project.snapshots()}


@pytest.fixture
def reviewed(project):
    """Declare tables whose snapshots are complete, and change their models."""

    def reviewed(before, after=None):
        project.models(before)
        project.accept()
        project.models(before if after is None else after)
        return project

    return reviewed


def test_a_snapshot_is_the_whole_script_and_the_state_next_to_it(project, snapshot):
    project.models(ORDERS)
    project.run("--snapshot-update").assert_outcomes(passed=2)

    written = contents(project)
    project.run().assert_outcomes(passed=2)
    text = ORDERS
    for old, new in OPTIONS.items():
        text = text.replace(old, new)
    project.models(text)
    project.accept()

    assert [*written] == ONE
    files = [content.decode() for content in (*written.values(), contents(project)[ONE[1]])]
    assert "====\n".join(files) == snapshot(extension_class=TextSnapshot)


def test_the_settings_of_the_project_are_part_of_both_files(project):
    properties = '{ "team" = "sales=eu", "delta.appendOnly" = "true" }'
    project.settings('models = ["models"]', f"default_properties = {properties}", 'clients = ["trino>=470"]')
    project.models(ORDERS)

    project.run("--snapshot-update").assert_outcomes(passed=2)

    assert "'team' = 'sales=eu'" in (project.path / ONE[0]).read_text("utf-8")
    state = json.loads((project.path / ONE[1]).read_text("utf-8"))
    assert (state["clients"], state["properties"]["team"]) == (["trino>=470"], "sales=eu")
    project.settings('models = ["models"]')
    project.run().assert_outcomes(passed=1, failed=1)


EQUAL = {
    "white_space": lambda text: json.dumps(json.loads(text), indent=1),
    "order_of_keys": lambda text: json.dumps(json.loads(text), sort_keys=True),
    "defaults": lambda text: text.replace('"type": "bigint"', '"type": "bigint", "default": null'),
    "windows": lambda text: text.replace("\n", "\r\n"),
}


def test_a_file_of_another_layout_passes_and_stays(reviewed):
    project = reviewed("".join(map(model, [*EQUAL, "of_changed_sql"])))
    for name, change in [*EQUAL.items(), ("of_changed_sql", EQUAL["order_of_keys"])]:
        edited(project, name, "state.json", change)
    edited(project, "of_changed_sql", "ddl.sql", lambda _: "SELECT 1;\n")
    before = contents(project)

    project.run().assert_outcomes(passed=9, failed=1)
    project.run("--snapshot-update").assert_outcomes(passed=10)

    after = contents(project)
    assert [name for name in before if before[name] != after[name]] == [f"{FOLDER}of_changed_sql.ddl.sql"]


CHANGED = {
    "ownership": ({"owns": {"comments": "report"}}, "state", ['+  "owns": {', '+    "comments": "report"']),
    "clients": ({"clients": ["delta-spark>=4.0"]}, "state", ['+  "clients": ["delta-spark>=4.0"]']),
    "former": (None, "state", ['+  "renames": [', '+    {"path": "id", "renamed_from": "x"}']),
    "comment": ({"comment": "All"}, "SQL", ["+USING DELTA", "+COMMENT 'All';"]),
}


def test_a_change_is_one_failure_with_one_difference(reviewed):
    renamed = model("former").replace("'id', ", "'id', renamed_from='x', data_type=")
    after = "".join(renamed if options is None else model(name, **options) for name, (options, *_) in CHANGED.items())
    project = reviewed("".join(map(model, CHANGED)), after)

    result = project.run()

    result.assert_outcomes(passed=4, failed=4)
    for name, (_, part, lines) in CHANGED.items():
        head = f"dev.silver.{name}: its {part} is not the one in the snapshot"
        start = result.outlines.index(head)
        end = next(at for at, line in enumerate(result.outlines) if at > start and line.startswith("review it, and"))
        assert set(lines) <= set(result.outlines[start:end])
        assert result.outlines[start:end].count("--- reviewed") == 1
    assert sum(line.startswith("FAILED ") for line in result.outlines) == 4
    project.run("--snapshot-update").assert_outcomes(passed=8)


NEWER = "is of version 9, and this release reads version 1"
UNREADABLE = "the snapshot of its state cannot be read: "
DAMAGED = {
    # the file and its change, and what is shown for the table: the headline, and a line below it
    "conflict": (
        ("state.json", lambda text: text.replace("{\n", "{\n<<<<<<< HEAD\n", 1)),
        [f"{UNREADABLE}has a conflict of a merge in line 2", "*: has a conflict of a merge in line 2; restore it"],
    ),
    "newer": (
        ("state.json", lambda text: text.replace('"version": 1', '"version": 9')),
        [f"{UNREADABLE}{NEWER}", f"dev.silver.newer.state.json: {NEWER}; upgrade pytest-delta-schema"],
    ),
    "without_sql": (
        ("ddl.sql", None),
        ["there is no snapshot yet", "CREATE TABLE `dev`.`silver`.`without_sql` ("],
    ),
    "without_state": (
        ("state.json", None),
        ["there is no snapshot yet", '  "name": "dev.silver.without_state",'],
    ),
}


def test_a_file_that_is_damaged_or_missing_is_named_and_written_again_but_not_that_of_a_newer_release(reviewed):
    project = reviewed("".join(map(model, DAMAGED)))
    complete = contents(project)
    for name, ((file, change), _) in DAMAGED.items():
        if change is None:
            (project.path / f"{FOLDER}{name}.{file}").unlink()
        else:
            edited(project, name, file, change)

    result = project.run()

    result.assert_outcomes(passed=4, failed=4)
    for name, (_, (head, line)) in DAMAGED.items():
        result.stdout.fnmatch_lines([f"dev.silver.{name}: {head}", line])
    assert result.outlines.count("Write it again with: pytest --snapshot-update") == 1
    result.stdout.no_fnmatch_line("*Traceback*")
    result = project.run("--snapshot-update")
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines([f"dev.silver.newer: {UNREADABLE}{NEWER}"])
    kept = contents(project)
    assert [name for name in complete if kept[name] != complete[name]] == [f"{FOLDER}newer.state.json"]


def test_a_file_that_cannot_be_written_keeps_its_bytes(reviewed, monkeypatch):
    project = reviewed(ORDERS, ORDERS.replace("Order total", "Sum"))
    before, write = contents(project), Path.write_bytes
    for file in ONE:
        name = Path(file).name

        def full(path, content, name=name):
            write(path, content[: len(content) // 2] if name in path.name else content)
            if name in path.name:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(Path, "write_bytes", full)
        result = project.run("--snapshot-update")

        result.assert_outcomes(passed=1, failed=1)
        fault = f"*{file} cannot be written: No space left on device; make its folder writable, or name another path"
        result.stdout.fnmatch_lines([f"dev.silver.orders: the snapshot cannot be read or written: {fault}"])
        assert contents(project)[file] == before[file]
        assert not list((project.path / file).parent.glob(".*"))


def test_the_files_of_a_table_that_is_not_declared_any_more_are_one_unused_snapshot(reviewed):
    gone = ["gone", "without_state", "moved"]
    project = reviewed(ORDERS + "".join(map(model, gone)), ORDERS)
    (project.path / f"{FOLDER}without_state.state.json").unlink()
    project.models(model("moved"), "others")
    project.settings('models = ["models", "others"]')
    (project.path / "__snapshots__/others").mkdir()
    for file in ("ddl.sql", "state.json"):
        there = project.path / f"{FOLDER}moved.{file}"
        (project.path / f"__snapshots__/others/{there.name}").write_bytes(there.read_bytes())

    result = project.run()

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sorted(line for line in result.outlines if "is of a table" in line) == [
        f"{FOLDER}gone.ddl.sql (with .state.json) is of a table that is not declared; delete it: pytest --snapshot-update",
        (
            f"{FOLDER}moved.ddl.sql (with .state.json) is of a table that moved to others.py; delete it: pytest"
            " --snapshot-update"
        ),
        f"{FOLDER}without_state.ddl.sql is of a table that is not declared; delete it: pytest --snapshot-update",
    ]
    result.stdout.fnmatch_lines(["2 snapshots passed. 3 snapshots unused.", "*--snapshot-update to delete*"])
    result = project.run("--snapshot-update")
    result.stdout.fnmatch_lines(["2 snapshots passed. 3 unused snapshots deleted."])
    result.stdout.no_fnmatch_line("*is of a table*")
    moved = [f"__snapshots__/others/dev.silver.moved.{file}" for file in ("ddl.sql", "state.json")]
    assert project.snapshots() == [*ONE, *moved]


PARTS = {
    # arguments of a run that does not look at all tables, and a test that fails
    "word": (["-k", "other"], ""),
    "stopped early": (["-x", "--delta-drift"], ""),
    "a test that fails": ([], "def test_it(): assert False"),
}


def test_an_update_of_a_part_or_of_something_broken_keeps_all_snapshots(reviewed):
    project = reviewed(ORDERS + OTHER, OTHER)
    project.catalog("MemoryCatalog()")

    for part, (args, broken) in PARTS.items():
        project.pytester.makepyfile(test_broken=broken)

        project.run("--snapshot-update", *args)

        assert project.snapshots() == BOTH, part


def test_tests_that_keep_json_in_the_same_folder_do_not_claim_the_states(project):
    project.models(ORDERS)
    project.pytester.makepyfile(
        test_api="""
        from syrupy.extensions.json import JSONSnapshotExtension

        def test_it(snapshot):
            assert snapshot.use_extension(JSONSnapshotExtension) == {"a": 1}
        """,
    )

    for _ in range(2):
        result = project.run("--snapshot-update")

        result.assert_outcomes(passed=3)
        assert result.ret == 0
        result.stdout.no_fnmatch_line("*unused*")
        assert project.snapshots() == [*ONE, "__snapshots__/test_api/test_it.json"]


def test_items_that_are_repeated_have_the_snapshot_of_their_table(project):
    project.models(ORDERS)
    project.pytester.makeconftest(REPEATS)

    project.run("--snapshot-update", "--count=2").assert_outcomes(passed=4)
    result = project.run("--snapshot-update")

    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*unused*")
    assert project.snapshots() == ONE


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


def test_items_in_forks_show_their_outcomes_and_delete_no_snapshot(reviewed):
    project = reviewed(ORDERS)
    project.catalog("MemoryCatalog()")
    project.extend_conftest(FORKS)

    result = project.run("--delta-drift", "--snapshot-update", "--forked", subprocess=True)

    assert project.snapshots() == ONE
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["drift: 1 drifted, 0 statements run", "  drifted     dev.silver.orders does not *"])
    result.stdout.no_fnmatch_line("*is of a table*")

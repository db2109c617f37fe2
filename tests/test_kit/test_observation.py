"""What a block does to a table, observed over hand-made logs."""

from __future__ import annotations

import json
import shutil
import uuid

import pytest

from pytest_delta_schema.backends.logs.files import LocalFiles
from pytest_delta_schema.backends.logs.log import reading_log
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.execute import Capabilities, version_of
from pytest_delta_schema.state import CatalogState, TableState
from pytest_delta_schema.test_kit.effects import effect_on
from support.logs import commit, field, metadata, protocol
from support.models import NAME
from support.snapshots import TextSnapshot


class LogCatalog:
    """Reads one table from its log; its rows are given by version."""

    name = "logs"
    capabilities = Capabilities()

    def __init__(self, folder, rows=None):
        self.folder = folder
        self.given = rows or {}
        self.reads = []

    def snapshot(self, models):
        return self.read_tables(model.name for model in models)

    def read_tables(self, names):
        return CatalogState(tables={name: self._state(name) for name in names})

    def _state(self, name):
        if not (self.folder / "_delta_log").is_dir():
            return TableState(name=name, exists=False)
        with self._log() as log:
            return log.facts(log.commits()[-1].version).state(name)

    def introduced_by(self, _, __):
        return ()

    past_columns = introduced_by

    def version(self, name):
        return version_of(self.read_tables([name]), name)

    def _log(self):
        return reading_log(NAME, LocalFiles(str(self.folder)))

    def commits(self, _, *, first=0):
        with self._log() as log:
            return log.commits(first)

    def state_at(self, _, version):
        with self._log() as log:
            return log.facts(version).state(NAME)

    def columns_before(self, _, version):
        with self._log() as log:
            return log.columns_before(version)

    def rows(self, _, *, version=None):
        self.reads.append(version)
        return [value if isinstance(value, dict) else {"id": value} for value in self.given[version]]

    def as_stored(self, _, rows):
        return list(rows)


def files(version_folder, version, operation, *actions, **metrics):
    """Write a commit of some operation."""
    info = {"commitInfo": {"timestamp": version, "operation": operation, "operationMetrics": metrics}}
    folder = commit(version_folder, version, *actions)
    path = folder / "_delta_log" / f"{version:020d}.json"
    path.write_text(path.read_text("utf-8").partition("\n")[2], "utf-8")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(info))


def add(path, rows):
    return {"add": {"path": path, "dataChange": True, "stats": f'{{"numRecords":{rows}}}'}}


def remove(path):
    return {"remove": {"path": path, "dataChange": True}}


def create(folder, *fields):
    action = metadata(*(fields or [field("id")]))
    action["metaData"]["id"] = str(uuid.uuid4())
    commit(folder, 0, protocol(), action)


def made(folder, kind=None):
    """Return a catalog of a table with one commit after its creation."""
    create(folder)
    files(folder, 1, "WRITE", add("old", 7), numOutputRows="7")
    return (kind or LogCatalog)(folder, {1: [1, 2, 2], 2: [2, 3]})


@pytest.fixture
def catalog(tmp_path):
    return made(tmp_path)


def drop(catalog):
    shutil.rmtree(catalog.folder / "_delta_log", ignore_errors=True)


def append(catalog):
    files(catalog.folder, 2, "WRITE", add("new", 3), numOutputRows="3")
    commit(catalog.folder, 3, metadata(field("id"), field("x")))


def overwrite(catalog):
    files(catalog.folder, 2, "WRITE", add("new", 1), remove("old"), numOutputRows="1")


def recreate(catalog):
    drop(catalog)
    create(catalog.folder, field("id"), field("other"))
    files(catalog.folder, 1, "WRITE", add("new", 2), numOutputRows="2")
    files(catalog.folder, 2, "WRITE", add("newer", 2), numOutputRows="2")


def clean_up(catalog, newest, *, table_id=None):
    """Remove all commits but the newest, which has a checksum, as Delta's log cleanup does."""
    log = catalog.folder / "_delta_log"
    first = json.loads((log / f"{0:020d}.json").read_text("utf-8").splitlines()[2])["metaData"]
    checksum = {"metadata": {**first, "id": table_id or first["id"]}, **protocol()}
    (log / f"{newest:020d}.crc").write_text(json.dumps(checksum), "utf-8")
    for version in range(newest):
        (log / f"{version:020d}.json").unlink()


def append_and_clean_up(catalog):
    files(catalog.folder, 2, "WRITE", add("new", 3), numOutputRows="3")
    clean_up(catalog, 2)


def restore(catalog):
    files(catalog.folder, 2, "RESTORE", add("new", 2), remove("old"))


def dropped(folder):
    catalog = made(folder)
    drop(catalog)
    catalog.given = {0: [1, 2]}
    return catalog


JOBS = {
    "nothing": (made, lambda _: None),
    "append": (made, append),
    "overwrite": (made, overwrite),
    "log cleanup": (made, append_and_clean_up),
    "drop": (made, drop),
    "recreate": (made, recreate),
    "nothing, without a table": (dropped, lambda _: None),
    "create": (dropped, recreate),
    "restore: versions are compared where the log does not count": (made, restore),
}


def test_jobs(tmp_path, snapshot):
    lines = []
    for number, (name, (before, job)) in enumerate(JOBS.items()):
        catalog = before(tmp_path / str(number))
        with effect_on("dev.silver.orders", catalog) as effect:
            job(catalog)
        reads = [*catalog.reads]
        rows = f"+{effect.rows_added} -{effect.rows_removed} ~{effect.rows_updated}"
        changes = ", ".join(map(str, effect.schema_changes)) or "kept"
        lines.append(f"{name}: {effect.table_was}, versions {effect.versions}, rows {rows}, schema: {changes}")
        lines.append(f"  reads before rows are asked for: {reads}, then: {catalog.reads}")

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)


def test_an_interrupted_job_is_not_observed(catalog):
    with pytest.raises(KeyboardInterrupt), effect_on("dev.silver.orders", catalog) as effect:
        raise KeyboardInterrupt

    with pytest.raises(
        DeclarationError,
        match=r"^dev\.silver\.orders: versions of an effect is known when the block ends",
    ):
        _ = effect.versions


def test_an_effect_is_not_known_inside_the_block(catalog):
    with effect_on("dev.silver.orders", catalog) as effect:
        with pytest.raises(DeclarationError) as caught:
            effect.only("WRITE")
        assert repr(effect) == "effect on dev.silver.orders: not known before the block ends"
        assert not hasattr(effect, "_nothing")

    assert str(caught.value) == (
        "dev.silver.orders: only of an effect is known when the block ends; read it after the block"
    )
    assert repr(effect) == "effect on dev.silver.orders: the table was kept; the job made no commit"


MEMORY = """
import pytest
from pytest_delta_schema import Column, Table
from pytest_delta_schema.diagnostics.errors import DeclarationError

@pytest.mark.parametrize("fixture", ["delta_effect", "delta_versions"])
def test_it(fixture, request):
    with pytest.raises(DeclarationError) as caught:
        request.getfixturevalue(fixture)("dev.silver.orders")
    assert str(caught.value) == (
        f"{fixture} reads the commits of tables, which the memory backend cannot; the backends that can are local, session and unity"
    )

def test_line(delta_effect):
    with delta_effect("dev.silver.orders"):
        pass
"""


def test_backends_without_commits_refuse_at_the_line_of_the_test(project):
    project.settings('backend = "memory"')
    project.pytester.makepyfile(test_x=MEMORY)

    result = project.run()

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.no_fnmatch_line("*pytest_delta_schema*.py:*")
    result.stdout.fnmatch_lines(["test_x.py:14: DeclarationError"])

"""Local files: Spark writes them without starting processes, and otherwise as Hadoop does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError

from pytest_delta_schema import Check, Orchestrator
from pytest_delta_schema.backends.local.launch import FILE_SYSTEMS
from pytest_delta_schema.backends.local.warehouse import table_folder
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

HADOOP = {
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.LocalFs",
}
KINDS = {"local": FILE_SYSTEMS, "hadoop": HADOOP}


class Files:
    """Hadoop's two interfaces to local files, in the JVM of the shared session."""

    def __init__(self, jvm, classes):
        self.jvm = jvm
        conf = jvm.org.apache.hadoop.conf.Configuration()
        for key, name in classes.items():
            conf.set(key.removeprefix("spark.hadoop."), name)
        root = jvm.java.net.URI("file:///")
        self.system = jvm.org.apache.hadoop.fs.FileSystem.newInstance(root, conf)
        self.context = jvm.org.apache.hadoop.fs.FileContext.getFileContext(root, conf)

    def path(self, path):
        return self.jvm.org.apache.hadoop.fs.Path(str(path))

    def mode(self, text):
        return self.jvm.org.apache.hadoop.fs.permission.FsPermission(text)

    def rename(self, source, target, how):
        options = self.jvm.org.apache.hadoop.fs.Options
        array = self.jvm.java.lang.reflect.Array.newInstance(
            self.jvm.java.lang.Class.forName("org.apache.hadoop.fs.Options$Rename"), 1
        )
        array[0] = getattr(options.Rename, how)
        self.context.rename(self.path(source), self.path(target), array)


@pytest.fixture(params=KINDS)
def files(local_session, request):
    return Files(local_session.spark._jvm, KINDS[request.param])


@pytest.fixture
def both(local_session):
    return [Files(local_session.spark._jvm, classes) for classes in KINDS.values()]


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def children(process: int) -> list[str]:
    """Return the page faults of the children that a process has waited for; each one that ends adds hundreds."""
    return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[8:11:2]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes by /proc")
def test_commits_start_no_process(local):
    jvm = local.spark._jvm
    process = jvm.java.lang.ProcessHandle.current().pid()
    before = children(process)

    Orchestrator.over(local).sync_tables([table(column("id"))])
    local.insert(NAME, [{"id": 1}])
    Orchestrator.over(local).sync_tables([table(column("id"), column("more"), checks=[Check("positive", "id > 0")])])

    assert children(process) == before
    jvm.java.lang.Runtime.getRuntime().exec("true").waitFor()
    assert children(process) != before


def test_files_and_folders_of_a_table_can_be_read_by_others(local, warehouse):
    Orchestrator.over(local).sync_tables([table(column("id"))])
    local.insert(NAME, [{"id": 1}])
    folder = table_folder(warehouse, NAME)

    names = sorted(path.name for path in folder.iterdir())
    data = [path for path in folder.iterdir() if path.suffix == ".parquet"]

    assert [f".{path.name}.crc" for path in data] == [name for name in names if name.startswith(".part-")]
    assert len(data) == 1
    assert {mode_of(path) for path in [folder, *folder.rglob("*")] if path.is_dir()} == {0o755}
    assert {mode_of(path) for path in folder.rglob("*") if path.is_file()} == {0o644}


@pytest.mark.parametrize(
    ("before", "given", "of_folder", "of_file"),
    [
        (0o700, "755", 0o755, 0o755),
        (0o777, "640", 0o640, 0o640),
        (0o2775, "750", 0o2750, 0o750),
        (0o6755, "755", 0o6755, 0o755),
        (0o1777, "755", 0o755, 0o755),
        (0o755, "1777", 0o1777, 0o1777),
    ],
)
def test_modes_are_set_as_chmod_sets_them(tmp_path, files, before, given, of_folder, of_file):
    folder, file, link = tmp_path / "folder", tmp_path / "file", tmp_path / "link"
    folder.mkdir()
    file.touch()
    link.symlink_to(file)
    for path in (folder, file):
        path.chmod(before)

    files.system.setPermission(files.path(folder), files.mode(given))
    files.system.setPermission(files.path(link), files.mode(given))

    assert (mode_of(folder), mode_of(file)) == (of_folder, of_file)


def test_a_missing_file_has_no_mode(tmp_path, files):
    with pytest.raises(Py4JJavaError) as caught:
        files.system.setPermission(files.path(tmp_path / "none"), files.mode("755"))

    assert files.jvm.java.lang.Class.forName("java.io.IOException").isInstance(caught.value.java_exception)


def answer(files, interface, path):
    try:
        status = getattr(files, interface).getFileLinkStatus(files.path(path))
        link = status.getSymlink().toString() if status.isSymlink() else None
        return status.toString(), link
    except Py4JJavaError as error:
        return error.java_exception.getClass().getName(), None


@pytest.mark.parametrize("scheme", ["", "file:"])
@pytest.mark.parametrize("interface", ["system", "context"])
def test_links_are_what_hadoop_takes_them_for(tmp_path, both, scheme, interface):
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder").mkdir()
    for name, target in {"to file": "file", "to folder": "folder", "dangling": "nothing"}.items():
        (tmp_path / name).symlink_to(tmp_path / target)

    for name in ("file", "folder", "to file", "to folder", "dangling", "nothing"):
        actual, expected = (answer(files, interface, f"{scheme}{tmp_path}/{name}") for files in both)
        assert actual == expected, name


def test_a_rename_replaces_a_file_only_if_it_may(tmp_path, files):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("new")
    target.write_text("old")

    with pytest.raises(Py4JJavaError, match="FileAlreadyExistsException"):
        files.rename(source, target, "NONE")

    assert (source.read_text(), target.read_text()) == ("new", "old")
    files.rename(source, target, "OVERWRITE")
    assert (source.exists(), target.read_text()) == (False, "new")


def test_a_table_behind_a_link_is_written_there(local, warehouse, tmp_path):
    Orchestrator.over(local).sync_tables([table(column("id"))])
    folder = table_folder(warehouse, NAME)
    elsewhere = tmp_path / "elsewhere"
    shutil.move(folder, elsewhere)
    folder.symlink_to(elsewhere)

    local.insert(NAME, [{"id": 1}])

    assert folder.is_symlink()
    assert sorted(path.name for path in elsewhere.glob("_delta_log/*.json")) == [
        "00000000000000000000.json",
        "00000000000000000001.json",
    ]
    assert local.spark.table("dev.silver.orders").count() == 1

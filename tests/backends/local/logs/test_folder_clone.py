"""Clones of table folders, without Spark: which files are linked, copied, changed and left out."""

from __future__ import annotations

import errno
import json
import os

import pytest

from pytest_delta_schema.backends.local import clones
from pytest_delta_schema.backends.local.clones import ChangingTableError, clone_folder

DATA = (
    "part-0.parquet",
    ".part-0.parquet.crc",
    "deletion_vector_0.bin",
    "day=1/part-1.parquet",
    "_day=1/part-2.parquet",
    "_change_data/cdc-0.parquet",
)
HIDDEN = ("_checkpoints/0/metadata", ".hidden/file")


def commit(version, table_id):
    return (
        f'{{"commitInfo":{{"timestamp":{version},"operation":"{table_id} is no id here"}}}}\n'
        f'{{"metaData":{{"id":"{table_id}","configuration":{{}}}}}}\n'
    )


@pytest.fixture
def source(tmp_path):
    """A table that was replaced in its second version."""
    folder = tmp_path / "source"
    for name in (*DATA, *HIDDEN):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    log = folder / "_delta_log"
    (log / "_sidecars").mkdir(parents=True)
    (log / "_sidecars" / "0.parquet").write_text("a sidecar")
    for version, table_id in enumerate(("first", "second", "second")):
        path = log / f"{version:020}.json"
        path.write_text(commit(version, table_id))
        os.utime(path, (1000 + version, 1000 + version))
        (log / f".{version:020}.json.crc").write_text("Hadoop's checksum")
        (log / f"{version:020}.crc").write_text(json.dumps({"metadata": {"id": table_id}, "numFiles": 1}))
    (log / f"{2:020}.crc").write_text("no JSON")
    (log / f"{0:020}.{1:020}.compacted.json").write_text(commit(1, "second"))
    (log / "_last_checkpoint").write_text('{"version": 1}')
    return folder


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def no_parquet(*_):
    pytest.fail("no checkpoint is needed")


def copied(source, target, ids):
    target.write_text(f"{source.name} of {ids.of('first')}")


def test_a_whole_log_is_copied_without_checkpoints(source, target):
    (source / "_delta_log" / f"{1:020}.checkpoint.parquet").write_text("a checkpoint")

    clone_folder(source, target, no_parquet)

    assert files(target) == sorted(
        [
            *DATA,
            *(f"_delta_log/{version:020}.json" for version in range(3)),
            *(f"_delta_log/{version:020}.crc" for version in range(2)),
        ]
    )
    assert all((target / name).samefile(source / name) for name in DATA)
    log = target / "_delta_log"
    commits = [(log / f"{version:020}.json").read_text() for version in range(3)]
    first, second, again = (json.loads(text.splitlines()[1])["metaData"]["id"] for text in commits)
    assert second == again
    assert len({first, second, "first", "second"}) == 4
    assert commits == [
        commit(version, "first" if version == 0 else "second").replace(
            f'"id":"{"first" if version == 0 else "second"}"', f'"id":"{first if version == 0 else second}"'
        )
        for version in range(3)
    ]
    assert json.loads((log / f"{1:020}.crc").read_text()) == {"metadata": {"id": second}, "numFiles": 1}
    assert [(log / f"{version:020}.json").stat().st_mtime for version in range(3)] == [1000, 1001, 1002]
    # The original is as before.
    assert (source / "_delta_log" / f"{0:020}.json").read_text() == commit(0, "first")


def test_a_log_without_its_first_commits_begins_with_the_newest_checkpoint(source, target):
    log = source / "_delta_log"
    (log / f"{0:020}.json").unlink()
    for name in (f"{0:020}.checkpoint.parquet", f"{1:020}.checkpoint.parquet"):
        (log / name).write_text("a checkpoint")

    clone_folder(source, target, copied)

    own = target / "_delta_log"
    assert files(own) == [
        f"{1:020}.checkpoint.parquet",
        f"{1:020}.crc",
        f"{1:020}.json",
        f"{2:020}.json",
        "_sidecars/0.parquet",
    ]
    assert (own / f"{1:020}.checkpoint.parquet").read_text().startswith(f"{1:020}.checkpoint.parquet of ")
    assert (own / "_sidecars" / "0.parquet").samefile(log / "_sidecars" / "0.parquet")


def test_a_checkpoint_in_json_gets_the_id_of_the_commits(source, target):
    log = source / "_delta_log"
    (log / f"{0:020}.json").unlink()
    name = f"{1:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    (log / name).write_text(commit(1, "second"))

    clone_folder(source, target, no_parquet)

    own = target / "_delta_log"
    assert (own / name).read_text() == (own / f"{1:020}.json").read_text() != commit(1, "second")


def test_files_are_copied_where_the_file_system_cannot_link(source, target, monkeypatch):
    def across_devices(*_):
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", across_devices)

    clone_folder(source, target, no_parquet)

    assert [(target / name).read_text() for name in DATA] == list(DATA)
    assert not any((target / name).samefile(source / name) for name in DATA)


def test_a_file_that_is_removed_meanwhile_is_left_out(source, target, monkeypatch):
    link = os.link

    def vacuumed(path, *args):
        path.unlink(missing_ok=True)
        link(path, *args)

    monkeypatch.setattr(os, "link", vacuumed)

    clone_folder(source, target, no_parquet)

    assert files(target) == [
        *(f"_delta_log/{version:020}.{kind}" for version in range(2) for kind in ("crc", "json")),
        f"_delta_log/{2:020}.json",
    ]


def append(folder, version, *actions):
    path = folder / "_delta_log" / f"{version:020}.json"
    path.write_text("\n".join(json.dumps(action) for action in actions))


def meddling(monkeypatch, name, *jobs):
    """Let another writer in before the first call of a function of ``os``, before the first one after that, and so on."""
    function, rest = getattr(os, name), list(jobs)

    def call(*args):
        if rest:
            rest.pop(0)()
        return function(*args)

    monkeypatch.setattr(os, name, call)


def add(path, **values):
    return {"add": {"path": path, "dataChange": True, **values}}


def overwritten(folder, old, new, version):
    """Replace a file, and remove the old one, as an overwrite and a VACUUM do."""

    def job():
        (folder / new).write_text(new)
        append(folder, version, add(new), {"remove": {"path": old}})
        (folder / old).unlink()

    return job


@pytest.mark.parametrize("vector", [None, {"storageType": "i"}], ids=["no vector", "inline vector"])
def test_a_clone_next_to_an_append_is_not_made_again(source, target, monkeypatch, vector):
    append(source, 3, add("day=1/part-1.parquet", deletionVector=vector), add("s3://bucket/elsewhere.parquet"))
    links = []
    link = os.link
    monkeypatch.setattr(os, "link", lambda *args: (links.append(args[0].name), link(*args)))
    meddling(monkeypatch, "link", lambda: append(source, 4, add("new")))

    clone_folder(source, target, no_parquet)

    assert links.count("part-0.parquet") == 1
    assert not (target / "_delta_log" / f"{4:020}.json").exists()


def test_a_clone_that_lacks_live_files_is_made_again(source, target, monkeypatch):
    append(source, 3, add("part-0.parquet"))
    meddling(monkeypatch, "link", overwritten(source, "part-0.parquet", "new.parquet", 4))

    clone_folder(source, target, no_parquet)

    assert (target / "_delta_log" / f"{4:020}.json").exists()
    assert (target / "new.parquet").samefile(source / "new.parquet")
    assert not (target / "part-0.parquet").exists()


def test_a_vector_in_a_file_is_not_examined(source, target, monkeypatch):
    append(source, 3, add("part-0.parquet", deletionVector={"storageType": "u"}))
    meddling(monkeypatch, "link", lambda: append(source, 4, {"commitInfo": {}}))

    clone_folder(source, target, no_parquet)

    assert (target / "_delta_log" / f"{4:020}.json").exists()


def test_a_table_that_changes_during_each_attempt_is_refused(source, target, monkeypatch):
    append(source, 3, add("0.parquet"))
    (source / "0.parquet").write_text("0")
    jobs = iter([overwritten(source, f"{number}.parquet", f"{number + 1}.parquet", 4 + number) for number in range(3)])
    listed = clones._link_files

    def linked(folder, to):
        if folder == source:
            next(jobs)()
        listed(folder, to)

    monkeypatch.setattr(clones, "_link_files", linked)

    with pytest.raises(ChangingTableError):
        clone_folder(source, target, no_parquet)

    assert not target.exists()
    assert next(jobs, None) is None


def test_a_commit_that_the_log_cleanup_removes_meanwhile_is_not_needed(source, target, monkeypatch):
    def clean_up():
        (source / "_delta_log" / f"{1:020}.checkpoint.parquet").write_text("a checkpoint")
        (source / "_delta_log" / f"{0:020}.json").unlink()

    meddling(monkeypatch, "link", clean_up)

    clone_folder(source, target, copied)

    assert [name for name in files(target / "_delta_log") if not name.endswith(".crc")] == [
        f"{1:020}.checkpoint.parquet",
        f"{1:020}.json",
        f"{2:020}.json",
        "_sidecars/0.parquet",
    ]


@pytest.mark.parametrize("lost", [0, 1])
def test_a_log_with_a_gap_is_not_cloned(source, target, lost):
    (source / "_delta_log" / f"{lost:020}.json").unlink()

    with pytest.raises(FileNotFoundError):
        clone_folder(source, target, no_parquet)

    assert not target.exists()

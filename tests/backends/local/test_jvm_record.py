"""The key of a kept JVM, and its record, which only its user can read."""

from __future__ import annotations

import json
import os
import re
import stat
import sys

import pytest

from pytest_delta_schema.backends.local import kept_jvm
from pytest_delta_schema.backends.local.kept_jvm import (
    HolderRecord,
    NotKeptError,
    key_of,
    private_folder,
    read_record,
    record_path,
    record_paths,
    records_folder,
    remove_record,
    write_record,
)
from pytest_delta_schema.backends.secret import Secret

CONF = {"spark.sql.warehouse.dir": "/w/spark_catalog", "spark.sql.catalog.spark_catalog": "Delta", "a": "1"}
ENVIRONMENT = {"HOME": "/home/me", "TZ": "UTC", "COLUMNS": "80"}


@pytest.fixture
def jar(tmp_path):
    path = tmp_path / "delta.jar"
    path.write_bytes(b"1")
    os.utime(path, (1, 1))
    return path


def key(jar, *, conf=None, options="-Xmx1g", environment=None):
    return key_of({**CONF, **(conf or {})}, [jar], options, {**ENVIRONMENT, **(environment or {})})


def test_what_a_session_gets_anew_and_what_no_program_reads_share_a_jvm(jar):
    assert key(jar) == key(
        jar,
        conf={"spark.sql.catalog.dev": "Delta", "spark.sql.catalog.dev.warehouse": "/w"},
        environment={"COLUMNS": "120", "PYTEST_CURRENT_TEST": "test_it.py::test (setup)", "SHLVL": "2"},
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"conf": {"spark.sql.warehouse.dir": "/other/spark_catalog"}},
        {"conf": {"spark.sql.catalog.spark_catalog": "Other"}},
        {"conf": {"a": "2"}},
        {"conf": {"b": "1"}},
        {"options": "-Xmx2g"},
        {"environment": {"TZ": "Europe/Berlin"}},
        {"environment": {"AWS_PROFILE": "shop"}},
    ],
    ids=str,
)
def test_a_changed_setting_flag_or_variable_is_another_jvm(jar, changed):
    assert key(jar) != key(jar, **changed)


def test_a_changed_jar_is_another_jvm(jar):
    before = key(jar)

    jar.write_bytes(b"12")
    os.utime(jar, (1, 1))
    longer = key(jar)
    os.utime(jar, (2, 2))

    assert len({before, longer, key(jar)}) == 3


def test_another_python_or_pair_is_another_jvm(jar, monkeypatch):
    keys = [key(jar)]
    monkeypatch.setattr(sys, "version", "3.99")
    keys.append(key(jar))
    monkeypatch.setattr(sys, "executable", "/other/python")
    keys.append(key(jar))
    monkeypatch.setattr(kept_jvm, "installed", lambda: {"pyspark": "9.9"})
    keys.append(key(jar))

    assert len(set(keys)) == 4


RECORD = HolderRecord(folder="/shop", key="key", port=4040, secret=Secret("of-the-holder"))


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_record_is_a_file_that_only_its_user_can_read(tmp_path):
    before = os.umask(0)
    try:
        folder, path = private_folder(), record_path(tmp_path)
        write_record(path, RECORD)
        write_record(path, RECORD)
    finally:
        os.umask(before)

    kept = read_record(path)
    assert kept is not None
    assert (kept.folder, kept.key, kept.port, kept.secret.reveal()) == ("/shop", "key", 4040, "of-the-holder")
    assert (mode(folder), mode(path)) == (0o700, 0o600)
    assert "of-the-holder" not in repr(kept)
    assert [path.name for path in folder.iterdir()] == [path.name]
    assert record_paths() == [path]
    assert record_path(tmp_path) != record_path(tmp_path / "other")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        "[" * 9999,
        '{"folder": "/shop", "key": "key", "port": 0, "secret": "a"}',
        '{"folder": "/shop", "key": "key", "port": true, "secret": "a"}',
        '{"folder": "/shop", "key": "key", "port": 4040, "secret": ""}',
        '{"folder": 1, "key": "key", "port": 4040, "secret": "a"}',
    ],
)
def test_a_file_with_something_else_is_no_record(tmp_path, text):
    private_folder()
    path = record_path(tmp_path)
    assert read_record(path) is None
    write_record(path, RECORD)

    path.write_text(text)

    assert read_record(path) is None
    remove_record(path, RECORD)
    assert path.exists()


def test_a_record_is_removed_only_by_its_holder(tmp_path):
    private_folder()
    path = record_path(tmp_path)
    write_record(path, HolderRecord(folder="/shop", key="key", port=4041, secret=Secret("of another holder")))

    remove_record(path, RECORD)
    assert path.exists()

    write_record(path, RECORD)
    remove_record(path, RECORD)
    remove_record(path, RECORD)
    assert not path.exists()


def readable(path):
    path.write_text(json.dumps({"folder": "/shop", "key": "key", "port": 4040, "secret": "a"}))
    path.chmod(0o640)


def linked(path):
    target = path.with_name("target")
    target.write_text(json.dumps({"folder": "/shop", "key": "key", "port": 4040, "secret": "a"}))
    target.chmod(0o600)
    path.symlink_to(target)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (readable, "other users have access to {path}; run rm {path}"),
        (linked, "{path} cannot be read: *; remove it"),
        (lambda path: os.mkfifo(path, 0o600), "{path} is not a regular file; remove it"),
    ],
    ids=["readable", "link", "pipe"],
)
def test_a_file_that_others_may_have_written_is_refused(tmp_path, make, message):
    private_folder()
    path = record_path(tmp_path)
    make(path)

    with pytest.raises(NotKeptError) as caught:
        read_record(path)

    expected = re.escape(message.replace("{path}", str(path))).replace(r"\*", ".*")
    assert re.fullmatch(expected, str(caught.value))


def test_a_folder_that_others_can_enter_or_that_is_a_link_is_refused(tmp_path):
    folder = records_folder()
    folder.mkdir(parents=True)
    folder.chmod(0o750)
    with pytest.raises(NotKeptError, match=f"^other users have access to {folder}; run chmod 700 {folder}$"):
        private_folder()

    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(
        NotKeptError,
        match=f"^{folder} is not a directory \\(symbolic links are not followed\\); remove it$",
    ):
        private_folder()


def test_a_folder_and_a_record_of_another_user_are_refused(tmp_path, monkeypatch):
    folder, path = private_folder(), record_path(tmp_path)
    write_record(path, RECORD)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)

    for attempt, subject in ((private_folder, folder), (lambda: read_record(path), path)):
        with pytest.raises(NotKeptError) as caught:
            attempt()
        assert str(caught.value) == (
            f"{subject} belongs to another user; remove it, or set XDG_CACHE_HOME to a folder of your own"
        )
    assert path.exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    with pytest.raises(NotKeptError, match=r"kept-jvms cannot be used: "):
        private_folder()

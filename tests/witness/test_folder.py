"""The folder of witnesses holds nothing else, and nothing else is touched."""

from __future__ import annotations

import pytest

from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.witness.runner import prepare_folder
from pytest_delta_schema.witness.script import FIRST_LINE


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_new_folder_is_made(tmp_path):
    prepare_folder(tmp_path / "a" / "b")

    assert files(tmp_path) == ["a", "a/b"]


def test_scripts_of_an_earlier_run_are_removed(tmp_path):
    (tmp_path / "dev.silver.orders").mkdir()
    (tmp_path / "dev.silver.orders" / "DC101-note-readers.py").write_text(f"{FIRST_LINE}x\n")

    prepare_folder(tmp_path)

    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("notes.txt", "x"),
        ("dev.silver.orders/notes.txt", FIRST_LINE),
        ("dev.silver.orders/job.py", "print()\n"),
        ("dev.silver.orders/a/b.py", FIRST_LINE),
    ],
)
def test_other_files_are_kept_and_refused(tmp_path, file, text):
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    known = files(tmp_path)

    with pytest.raises(ConfigurationError, match=r"holds files other than witnesses: .*; name a new folder"):
        prepare_folder(tmp_path)

    assert files(tmp_path) == known


def test_many_files_are_counted(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.txt").touch()

    with pytest.raises(ConfigurationError, match=r"0.txt, 1.txt, 2.txt and 2 more; name"):
        prepare_folder(tmp_path)


def test_links_are_not_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to(tmp_path / "there")

    with pytest.raises(ConfigurationError, match="is not a folder; name a new one"):
        prepare_folder(tmp_path / "here")


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "x").touch()

    with pytest.raises(ConfigurationError, match="is not a folder"):
        prepare_folder(tmp_path / "x")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        prepare_folder(tmp_path / "x" / "y")

"""``delta-schema init``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from pytest_delta_schema.plugin.project_files import start_project
from support.plugin_project import ALONE

INIT = ("-p", "pytest_delta_schema.plugin.project_files")
"""The arguments with which the command runs pytest."""

SETTINGS = b'[tool.pytest_delta_schema]\nmodels = ["shop.models"]\n'
PYTEST = b'[tool.pytest.ini_options]\npythonpath = ["."]\n'
WROTE = ["wrote shop/models.py, an example with one table", "wrote [tool.pytest_delta_schema] to pyproject.toml"]
NEXT = "next: pytest --snapshot-update (writes the SQL and the state of the table to __snapshots__, for review)"


@pytest.fixture
def folder(project):
    """An empty folder."""
    (project.path / "tox.ini").unlink()
    project.settings()
    return project


def content(folder):
    return (folder.path / "pyproject.toml").read_bytes()


def started(folder, **files):
    """Start a project in a folder with some files and nothing else; return the lines, or what stops it."""
    for path in folder.path.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in files.items():
        path = folder.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    try:
        return start_project(folder.path, folder.pytester.parseconfig(*ALONE))
    except pytest.UsageError as error:
        return str(error)


def test_an_empty_folder_becomes_a_project_whose_next_command_works(folder):
    result = folder.run(*INIT)

    assert result.ret == pytest.ExitCode.OK
    assert result.outlines == [f"delta schema: {line}" for line in (*WROTE, NEXT)]
    assert content(folder) == PYTEST + b"\n" + SETTINGS
    folder.run("--snapshot-update").assert_outcomes(passed=2)
    assert folder.snapshots() == [
        "shop/__snapshots__/models/dev.silver.orders.ddl.sql",
        "shop/__snapshots__/models/dev.silver.orders.state.json",
    ]
    again = folder.run(*INIT)
    assert again.ret == pytest.ExitCode.USAGE_ERROR
    fault = "pyproject.toml has a section [tool.pytest_delta_schema] already; nothing was written"
    assert again.errlines == [f"ERROR: {fault}", ""]


BEFORE = {
    # the text of pyproject.toml, and what is added
    b"": PYTEST + b"\n" + SETTINGS,
    b"[project]\nname = '\xc3\xa9'": b"\n\n" + PYTEST + b"\n" + SETTINGS,
    b"# a\r\n[project]\r\nname = 'x'\r\n": (b"\n" + PYTEST + b"\n" + SETTINGS).replace(b"\n", b"\r\n"),
    b"[tool.pytest]\npythonpath = ['.']\n": b"\n" + SETTINGS,
    b"[tool.pytest.ini_options]\npythonpath = '.'\n": b"\n" + SETTINGS,
}


def test_existing_text_is_kept_byte_for_byte(folder):
    for before, added in BEFORE.items():
        if before.startswith(b"[tool.pytest]") and pytest.version_tuple < (9,):
            continue

        assert started(folder, **{"pyproject.toml": before}) == [*WROTE, NEXT]
        assert content(folder) == before + added
        assert folder.faults() == []


SECTION = b"[tool.pytest_delta_schema.bind]\n'a.b' = 'c.d'\n"
REFUSED = [
    # files, and the beginning of the message
    ({"pyproject.toml": SECTION}, "pyproject.toml has a section [tool.pytest_delta_schema] already"),
    ({"pyproject.toml": b"tool = {ruff = {}}\n"}, "{path}/pyproject.toml cannot be read: "),
    ({"shop/models.py": b"x = 1\n", "shop/delta_models.py": b"x = 1\n"}, "{path}/shop/delta_models.py exists already"),
]


def test_what_cannot_be_extended_is_reported_and_nothing_is_written(folder):
    for files, message in REFUSED:
        fault = started(folder, **files)

        assert fault.startswith(message.format(path=folder.path)), fault
        assert fault.endswith("; nothing was written")
        written = {path.relative_to(folder.path).as_posix(): path.read_bytes() for path in folder.path.rglob("*.*")}
        assert written == files


def test_what_cannot_be_written_is_taken_back(folder, monkeypatch):
    write = Path.write_bytes
    for file in ("models.py", "pyproject.toml"):

        def full(path, content, file=file):
            is_full = file in path.name and content.strip() != b"[tool.ruff]"
            write(path, content[:1] if is_full else content)
            if is_full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(Path, "write_bytes", full)
        fault = started(folder, **{"pyproject.toml": b"[tool.ruff]\n"})

        assert f"{file} cannot be written: No space left on device; " in fault
        assert fault.endswith("; nothing was written")
        assert content(folder) == b"[tool.ruff]\n"
        assert [path.name for path in folder.path.rglob("*") if path.suffix in (".py", ".tmp")] == []


FOUND = [
    # the files of the project, and where the model is written
    (["lake/__init__.py"], "lake/models.py"),
    (["lake/__init__.py", "tests/__init__.py"], "lake/models.py"),
    (["lake/__init__.py", "lake/models.py"], "lake/delta_models.py"),
    (["lake/__init__.py", "sea/__init__.py"], "shop/models.py"),
]
SIGNS = {
    ".github/dependabot.yml": ("github", ".github/workflows/delta.yml"),
    ".gitlab-ci.yml": ("gitlab", "delta.gitlab-ci.yml"),
    "azure-pipelines.yml": ("azure", "azure-pipelines-delta.yml"),
}


def test_the_package_and_the_ci_system_of_the_project_are_found(folder):
    for files, model in FOUND:
        assert started(folder, **dict.fromkeys(files, b""))[0] == f"wrote {model}, an example with one table"
        assert [*folder.options().models] == [folder.path / model]
    for sign, (platform, file) in SIGNS.items():
        line = f"in CI: delta-schema ci {platform} > {file} (runs the gate; edit it to your needs)"
        assert started(folder, **{sign: b""})[-2:] == [NEXT, line]
        assert not (folder.path / file).exists()


def test_the_model_is_written_where_pytest_finds_modules_and_a_missing_path_is_named(folder):
    in_src = started(folder, **{"src/x.txt": b"", "tox.ini": b"[pytest]\npythonpath = src\n"})
    assert in_src[0] == "wrote src/shop/models.py, an example with one table"
    assert content(folder) == SETTINGS

    first = "first: add pythonpath = . to the section of pytest in tox.ini, so the module shop.models is found"
    assert started(folder, **{"tox.ini": b"[pytest]\n"})[-2:] == [first, NEXT]

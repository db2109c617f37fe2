"""``delta-schema init``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

INIT = ("-p", "pytest_delta_schema.plugin.project_files")
"""The arguments with which the command runs pytest."""

SETTINGS = b'[tool.pytest_delta_schema]\nmodels = ["shop.models"]\n'
PYTEST = b'[tool.pytest.ini_options]\npythonpath = ["."]\n'
WROTE = [
    "delta schema: wrote shop/models.py, an example with one table",
    "delta schema: wrote [[]tool.pytest_delta_schema] to pyproject.toml",
]
NEXT = "delta schema: next: pytest --snapshot-update (writes the SQL and the state of the table to __snapshots__, for review)"


@pytest.fixture
def folder(project):
    """An empty folder."""
    (project.path / "tox.ini").unlink()
    project.settings()
    return project


def content(project):
    return (project.path / "pyproject.toml").read_bytes()


def test_an_empty_folder_becomes_a_project_whose_next_command_works(folder):
    result = folder.run(*INIT)

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines([*WROTE, NEXT], consecutive=True)
    assert content(folder) == PYTEST + b"\n" + SETTINGS
    folder.run("--snapshot-update").assert_outcomes(passed=2)
    assert folder.snapshots() == [
        "shop/__snapshots__/models/dev.silver.orders.ddl.sql",
        "shop/__snapshots__/models/dev.silver.orders.state.json",
    ]
    folder.run("--delta-drift", "--delta-backend=memory", "-m", "delta_drift").assert_outcomes(failed=1)


def test_a_section_that_this_pytest_does_not_read_is_to_be_renamed_first(folder, monkeypatch):
    monkeypatch.setattr(pytest, "version_tuple", (8, 4, 2))
    (folder.path / "pyproject.toml").write_bytes(b"[tool.pytest]\npythonpath = ['.']\n")

    result = folder.run(*INIT)

    first = (
        "delta schema: first: rename the section [[]tool.pytest] of pyproject.toml to [[]tool.pytest.ini_options], because"
        ' pytest 8.4.2 does not read it, and see that it has pythonpath = [[]"."], so the module shop.models is found'
    )
    result.stdout.fnmatch_lines([*WROTE, first, NEXT], consecutive=True)


def test_a_model_of_that_name_is_kept(folder):
    (folder.path / "shop").mkdir()
    for name in ("models.py", "delta_models.py"):
        (folder.path / "shop" / name).write_text("mine = 1\n")

    result = folder.run(*INIT)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *shop/delta_models.py exists already; nothing was written"])
    assert (folder.path / "shop" / "delta_models.py").read_text() == "mine = 1\n"
    assert not (folder.path / "pyproject.toml").exists()


def emptied(folder, **files):
    """Delete all files of the folder, and write some."""
    for path in folder.path.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in files.items():
        path = folder.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


BEFORE = {
    # the text of pyproject.toml, and what is added
    b"": PYTEST + b"\n" + SETTINGS,
    b"[project]\nname = '\xc3\xa9'": b"\n\n" + PYTEST + b"\n" + SETTINGS,
    b"# a\r\n[project]\r\nname = 'x'\r\n": (b"\n" + PYTEST + b"\n" + SETTINGS).replace(b"\n", b"\r\n"),
    b"[tool.pytest]\npythonpath = ['.']\n": b"\n" + SETTINGS,
    b"[tool.pytest.ini_options]\npythonpath = '.'\n": b"\n" + SETTINGS,
    b"tool.ruff.line-length = 9\n": b"\n" + PYTEST + b"\n" + SETTINGS,
}


def test_existing_text_is_kept_byte_for_byte(folder):
    for before, added in BEFORE.items():
        if before.startswith(b"[tool.pytest]") and pytest.version_tuple < (9,):
            continue
        emptied(folder, **{"pyproject.toml": before})

        result = folder.run(*INIT)

        result.stdout.fnmatch_lines([*WROTE, NEXT], consecutive=True)
        assert content(folder) == before + added
        assert folder.faults() == []


REFUSED = {
    b"[tool.pytest_delta_schema]\nbackend = 'memory'\n": "pyproject.toml has a section [[]tool.pytest_delta_schema] already",
    b"[tool.pytest_delta_schema.bind]\n'a.b' = 'c.d'\n": "pyproject.toml has a section [[]tool.pytest_delta_schema] already",
    b"tool = {ruff = {}}\n": "*pyproject.toml cannot be read: *",
}


def test_what_cannot_be_extended_or_written_is_reported_and_nothing_is_written(folder, monkeypatch):
    for before, message in REFUSED.items():
        emptied(folder, **{"pyproject.toml": before})

        result = folder.run(*INIT)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {message}; nothing was written"])
        assert content(folder) == before
        assert not (folder.path / "shop").exists()
    write = Path.write_bytes
    for file in ("models.py", "pyproject.toml"):
        emptied(folder, **{"pyproject.toml": b"[tool.ruff]\n"})

        def full(path, content, file=file):
            write(path, content[:1] if file in path.name else content)
            if file in path.name:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as disk:
            disk.setattr(Path, "write_bytes", full)
            result = folder.run(*INIT)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        fault = f"*{file} cannot be written: No space left on device; *; nothing was written"
        result.stderr.fnmatch_lines([f"ERROR: {fault}"])
        assert content(folder) == b"[tool.ruff]\n"
        assert [path.name for path in folder.path.rglob("*") if path.suffix in (".py", ".tmp")] == []


MODELS = [
    # the files of the project, and where the model is written
    (["lake/__init__.py"], "lake/models.py"),
    (["lake/__init__.py", "tests/__init__.py"], "lake/models.py"),
    (["lake/__init__.py", "lake/models.py"], "lake/delta_models.py"),
    (["lake/__init__.py", "lake/models/__init__.py"], "lake/delta_models.py"),
    (["lake/__init__.py", "sea/__init__.py"], "shop/models.py"),
]
SIGNS = {
    ".github/dependabot.yml": ("github", ".github/workflows/delta.yml"),
    ".gitlab-ci.yml": ("gitlab", "delta.gitlab-ci.yml"),
    "azure-pipelines.yml": ("azure", "azure-pipelines-delta.yml"),
}


def test_the_package_and_the_ci_system_of_the_project_are_found(folder):
    for files, model in MODELS:
        emptied(folder, **dict.fromkeys(files, b""))

        result = folder.run(*INIT)

        result.stdout.fnmatch_lines([f"delta schema: wrote {model}, an example with one table"])
        assert [*folder.options().models] == [folder.path / model]
    for sign, (platform, file) in SIGNS.items():
        emptied(folder, **{sign: b""})

        result = folder.run(*INIT)

        line = f"delta schema: in CI: delta-schema ci {platform} > {file} (runs the gate; edit it to your needs)"
        result.stdout.fnmatch_lines([NEXT, line], consecutive=True)
        assert not (folder.path / file).exists()


def test_the_model_is_written_where_pytest_finds_modules_and_a_missing_path_is_named(folder):
    (folder.path / "src").mkdir()
    folder.pytester.makeini("[pytest]\npythonpath = src\n")
    result = folder.run(*INIT)
    result.stdout.fnmatch_lines(["delta schema: wrote src/shop/models.py, an example with one table"])
    assert content(folder) == SETTINGS

    emptied(folder, **{"tox.ini": b"[pytest]\n"})
    result = folder.run(*INIT)
    line = "delta schema: first: add pythonpath = . to the section of pytest in tox.ini, so the module shop.models is"
    result.stdout.fnmatch_lines([f"{line} found", NEXT], consecutive=True)

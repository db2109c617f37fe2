"""``delta-schema init``: what it prints and writes, and what it refuses."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from support.plugin_project import reads_tool_pytest

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


@pytest.mark.parametrize(
    ("before", "added"),
    [
        pytest.param(b"", PYTEST + b"\n" + SETTINGS, id="empty"),
        pytest.param(b"[project]\nname = 'x'\n", b"\n" + PYTEST + b"\n" + SETTINGS, id="a project"),
        pytest.param(b"[project]\nname = '\xc3\xa9'", b"\n\n" + PYTEST + b"\n" + SETTINGS, id="no end of line"),
        pytest.param(
            b"# a\r\n[project]\r\nname = 'x'\r\n",
            (b"\n" + PYTEST + b"\n" + SETTINGS).replace(b"\n", b"\r\n"),
            id="line ends of Windows",
        ),
        pytest.param(
            b"[tool.pytest]\npythonpath = ['.']\n",
            b"\n" + SETTINGS,
            id="pytest is configured",
            marks=reads_tool_pytest,
        ),
        pytest.param(b"[tool.pytest.ini_options]\npythonpath = '.'\n", b"\n" + SETTINGS, id="pytest 8 is configured"),
        pytest.param(b"tool.ruff.line-length = 9\n", b"\n" + PYTEST + b"\n" + SETTINGS, id="dotted keys"),
    ],
)
def test_existing_text_is_kept_byte_for_byte(folder, before, added):
    (folder.path / "pyproject.toml").write_bytes(before)

    result = folder.run(*INIT)

    result.stdout.fnmatch_lines([*WROTE, NEXT], consecutive=True)
    assert content(folder) == before + added
    folder.run("--snapshot-update").assert_outcomes(passed=2)


def test_a_section_that_this_pytest_does_not_read_is_to_be_renamed_first(folder, monkeypatch):
    monkeypatch.setattr(pytest, "version_tuple", (8, 4, 2))
    (folder.path / "pyproject.toml").write_bytes(b"[tool.pytest]\npythonpath = ['.']\n")

    result = folder.run(*INIT)

    first = (
        "delta schema: first: rename the section [[]tool.pytest] of pyproject.toml to [[]tool.pytest.ini_options], because"
        ' pytest 8.4.2 does not read it, and see that it has pythonpath = [[]"."], so the module shop.models is found'
    )
    result.stdout.fnmatch_lines([*WROTE, first, NEXT], consecutive=True)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        pytest.param(
            b"[tool.pytest_delta_schema]\nbackend = 'memory'\n",
            "ERROR: pyproject.toml has a section [[]tool.pytest_delta_schema] already; nothing was written",
            id="section",
        ),
        pytest.param(
            b"[tool.pytest_delta_schema.bind]\n'a.b' = 'c.d'\n",
            "ERROR: pyproject.toml has a section [[]tool.pytest_delta_schema] already; nothing was written",
            id="section below it",
        ),
        pytest.param(
            b"tool = {ruff = {}}\n",
            "ERROR: *pyproject.toml cannot be read: *; nothing was written",
            id="inline table",
        ),
    ],
)
def test_what_cannot_be_extended_is_reported_and_nothing_is_written(folder, before, message):
    (folder.path / "pyproject.toml").write_bytes(before)

    result = folder.run(*INIT)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert content(folder) == before
    assert not (folder.path / "shop").exists()


@pytest.mark.parametrize("file", ["models.py", "pyproject.toml"])
def test_on_a_full_disk_nothing_is_written(folder, file, monkeypatch):
    (folder.path / "pyproject.toml").write_bytes(b"[tool.ruff]\n")
    write = Path.write_bytes

    def full(path, content):
        write(path, content[:1] if file in path.name else content)
        if file in path.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    result = folder.run(*INIT)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{file} cannot be written: No space left on device; *; nothing was written"])
    assert content(folder) == b"[tool.ruff]\n"
    assert [path.name for path in folder.path.rglob("*") if path.suffix in (".py", ".tmp")] == []


def test_a_model_of_that_name_is_kept(folder):
    (folder.path / "shop").mkdir()
    for name in ("models.py", "delta_models.py"):
        (folder.path / "shop" / name).write_text("mine = 1\n")

    result = folder.run(*INIT)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *shop/delta_models.py exists already; nothing was written"])
    assert (folder.path / "shop" / "delta_models.py").read_text() == "mine = 1\n"
    assert not (folder.path / "pyproject.toml").exists()


@pytest.mark.parametrize(
    ("files", "model"),
    [
        (["lake/__init__.py"], "lake/models.py"),
        (["lake/__init__.py", "tests/__init__.py"], "lake/models.py"),
        (["lake/__init__.py", "lake/models.py"], "lake/delta_models.py"),
        (["lake/__init__.py", "lake/models/__init__.py"], "lake/delta_models.py"),
        (["lake/__init__.py", "sea/__init__.py"], "shop/models.py"),
    ],
    ids=["one package", "tests", "a module models", "a package models", "two packages"],
)
def test_the_model_is_written_into_the_package_of_the_project(folder, files, model):
    for name in files:
        (folder.path / name).parent.mkdir(exist_ok=True)
        (folder.path / name).write_text("")

    result = folder.run(*INIT)

    result.stdout.fnmatch_lines([f"delta schema: wrote {model}, an example with one table"])
    folder.run("--snapshot-update", "-m", "delta").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("sign", "platform", "file"),
    [
        (".github/dependabot.yml", "github", ".github/workflows/delta.yml"),
        (".gitlab-ci.yml", "gitlab", "delta.gitlab-ci.yml"),
        ("azure-pipelines.yml", "azure", "azure-pipelines-delta.yml"),
    ],
)
def test_the_file_of_the_ci_system_of_the_project_is_offered(folder, sign, platform, file):
    (folder.path / sign).parent.mkdir(exist_ok=True)
    (folder.path / sign).write_text("")

    result = folder.run(*INIT)

    line = f"delta schema: in CI: delta-schema ci {platform} > {file} (runs the gate; edit it to your needs)"
    result.stdout.fnmatch_lines([NEXT, line], consecutive=True)
    assert not (folder.path / file).exists()


def test_the_model_is_written_where_pytest_finds_modules(folder):
    (folder.path / "src").mkdir()
    folder.pytester.makeini("[pytest]\npythonpath = src\n")

    result = folder.run(*INIT)

    result.stdout.fnmatch_lines(["delta schema: wrote src/shop/models.py, an example with one table"])
    assert content(folder) == SETTINGS
    folder.run("--snapshot-update").assert_outcomes(passed=2)


def test_a_missing_pythonpath_is_named_with_its_file(folder):
    folder.pytester.makeini("[pytest]\n")

    result = folder.run(*INIT)

    line = "delta schema: first: add pythonpath = . to the section of pytest in tox.ini, so the module shop.models is"
    result.stdout.fnmatch_lines([f"{line} found", NEXT], consecutive=True)
    folder.pytester.makeini("[pytest]\npythonpath = .\n")
    folder.run("--snapshot-update").assert_outcomes(passed=2)

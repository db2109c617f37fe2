"""``pytest --delta-init``: write the configuration and an example model, and name the next command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.configuration.project_file import shown_path
from pytest_delta_schema.diagnostics.errors import os_error_text
from pytest_delta_schema.plugin.options.project_text import ProjectText
from pytest_delta_schema.settings.text import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PACKAGE = "shop"
"""The folder of the example in a project without a package."""

EXAMPLE = '''\
"""The tables of this project."""

from pyspark.sql.types import DecimalType, LongType, TimestampType

from pytest_delta_schema import Column, Table

orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("id", LongType(), is_nullable=False, comment="Order ID"),
        Column("created_ts", TimestampType(), comment="Creation time"),
        Column("amount", DecimalType(18, 2), comment="Order total"),
    ],
    comment="Orders table",
    primary_key=["id"],
)
'''

_CI = {
    "github": (".github", ".github/workflows/delta.yml"),
    "gitlab": (".gitlab-ci.yml", "delta.gitlab-ci.yml"),
    "azure": ("azure-pipelines.yml", "azure-pipelines-delta.yml"),
}
"""What shows that a project uses a CI system, and the file that runs the gate there."""


def start_project(folder: Path, config: pytest.Config) -> list[str]:
    """Write an example model, and append the configuration to ``pyproject.toml``; existing text is not changed.

    It returns the lines to show: what was written, and what to do next.

    Raises:
        pytest.UsageError: If the section or the model exists already, or a file cannot be written; nothing is written.
    """
    project, root = ProjectText.read(folder / "pyproject.toml", config), config.invocation_params.dir
    shown = shown_path(project.path, root)
    if project.has_section:
        msg = f"{shown} has a section [{SECTION}] already; nothing was written"
        raise pytest.UsageError(msg)
    sources = _source_folder(config, folder)
    module = _new_module(sources)
    appended = project.appended([module])
    if appended is None:
        msg = f"{shown} cannot be extended at its end; add these lines to it:\n{project.settings([module])}"
        raise pytest.UsageError(msg)
    model = sources.joinpath(*module.split(".")).with_suffix(".py")
    _write(model, project.path, appended)
    is_unread = pytest.version_tuple < (9,) and "ini_options" not in project.tool.get("pytest", {"ini_options": {}})
    steps = _next_steps(config, (model, module), project.path, project.configured_by, is_unread=is_unread)
    return [*steps, *_offered_ci(folder)]


def _source_folder(config: pytest.Config, folder: Path) -> Path:
    """Return the first folder of ``pythonpath`` that exists; ``folder`` if there is none."""
    return next((path for path in config.getini("pythonpath") if path.is_dir()), folder)


def _new_module(sources: Path) -> str:
    """Return the module of the example: ``models`` in the only package of the project, or else in a new folder."""
    packages = [path.parent.name for path in sources.glob("*/__init__.py")]
    own = [name for name in packages if name.isidentifier() and not name.startswith("test")]
    package = own[0] if len(own) == 1 else _PACKAGE
    taken = (sources / package / "models.py").exists() or (sources / package / "models").exists()
    return f"{package}.delta_models" if taken else f"{package}.models"


def _offered_ci(folder: Path) -> Iterator[str]:
    """Yield how to run the gate in the CI systems that the project uses."""
    for platform, (sign, file) in _CI.items():
        if (folder / sign).exists() and not (folder / file).exists():
            yield f"in CI: python -m pytest_delta_schema ci {platform} > {file} (runs the gate; edit it to your needs)"


def _write(model: Path, project: Path, appended: bytes) -> None:
    try:
        model.parent.mkdir(exist_ok=True)
        with model.open("x", encoding="utf-8") as file:
            file.write(EXAMPLE)
    except FileExistsError:
        msg = f"{model} exists already; nothing was written"
        raise pytest.UsageError(msg) from None
    except OSError as error:
        msg = f"{model} cannot be written: {os_error_text(error)}; nothing was written"
        raise pytest.UsageError(msg) from None
    try:
        with project.open("ab") as file:
            file.write(appended)
    except OSError as error:
        model.unlink()
        msg = f"{project} cannot be written: {os_error_text(error)}; nothing was written"
        raise pytest.UsageError(msg) from None


def _next_steps(
    config: pytest.Config, example: tuple[Path, str], project: Path, configured: Path | None, *, is_unread: bool
) -> Iterator[str]:
    model, module = example
    root = config.invocation_params.dir
    yield f"wrote {shown_path(model, root)}, an example with one table"
    yield f"wrote [{SECTION}] to {shown_path(project, root)}"
    if is_unread:
        installed = ".".join(map(str, pytest.version_tuple[:3]))
        where = shown_path(project, root)
        yield (
            f"first: rename the section [tool.pytest] of {where} to [tool.pytest.ini_options], because pytest"
            f' {installed} does not read it, and see that it has pythonpath = ["."], so the module {module} is'
            " found"
        )
    elif configured and not config.getini("pythonpath"):
        line = 'pythonpath = ["."]' if configured.suffix == ".toml" else "pythonpath = ."
        where = shown_path(configured, root)
        yield f"first: add {line} to the section of pytest in {where}, so the module {module} is found"
    yield "next: pytest --snapshot-update (writes the SQL and the state of the table to __snapshots__, for review)"

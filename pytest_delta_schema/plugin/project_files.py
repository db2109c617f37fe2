"""Start a project, as ``delta-schema init`` does by pytest with this module as a plugin; append to a project file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_delta_schema.configuration.files import shown_path, toml
from pytest_delta_schema.diagnostics.errors import os_error_text
from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.engine.source_files import UnwritableFileError, write_whole
from pytest_delta_schema.plugin.registration import project_folder
from pytest_delta_schema.settings.table import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pytest_delta_schema.plugin.options import Options


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> pytest.ExitCode:
    """Start a project instead of running tests: pytest has read where its configuration and its modules are."""
    for line in start_project(project_folder(config), config):
        sys.stdout.write(f"delta schema: {printed(line)}\n")
    return pytest.ExitCode.OK


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
    """Write an example model, and append the configuration to ``pyproject.toml``; existing text is not changed."""
    project, root = ProjectText.read(folder / "pyproject.toml", config), config.invocation_params.dir
    shown = shown_path(project.path, root)
    if project.has_section:
        msg = f"{shown} has a section [{SECTION}] already; nothing was written"
        raise pytest.UsageError(msg)
    sources = _source_folder(config, folder)
    module = _new_module(sources)
    extended = project.extended([module])
    if extended is None:
        msg = f"{shown} cannot be extended at its end; add these lines to it:\n{project.settings([module])}"
        raise pytest.UsageError(msg)
    model = sources.joinpath(*module.split(".")).with_suffix(".py")
    _write_both(model, project.path, extended)
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


def _write_both(model: Path, project: Path, extended: bytes) -> None:
    if model.exists():
        msg = f"{model} exists already; nothing was written"
        raise pytest.UsageError(msg)
    try:
        write_whole(model, EXAMPLE.encode())
        write_whole(project, extended)
    except UnwritableFileError as error:
        model.unlink(missing_ok=True)
        msg = f"{error}; nothing was written"
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


def _offered_ci(folder: Path) -> Iterator[str]:
    """Yield how to run the gate in the CI systems that the project uses."""
    for platform, (sign, file) in _CI.items():
        if (folder / sign).exists() and not (folder / file).exists():
            yield f"in CI: delta-schema ci {platform} > {file} (runs the gate; edit it to your needs)"


def add_modules(config: pytest.Config, options: Options, files: Iterable[Path]) -> list[str]:
    """Append a section with ``models`` to ``pyproject.toml``, if the project has none."""
    names = [_module_of(config, file) for file in files if file not in options.models]
    packages = tuple(f"{package}." for package in options.packages)
    missing = sorted({name for name in names if not f"{name}.".startswith(packages)})
    if not missing:
        return []
    listed = ", ".join(f'"{name}"' for name in missing)
    path = project_folder(config) / "pyproject.toml"
    shown = shown_path(path, config.rootpath)
    try:
        project = ProjectText.read(path, config)
        extended = None if options.models or project.has_section else project.extended(missing)
        if extended is not None:
            write_whole(path, extended)
            return [f"  wrote       {shown}, models = [{listed}]"]
    except (OSError, UnwritableFileError, pytest.UsageError):
        pass
    return [f"  to do       add {listed} to models in [{SECTION}] of {shown}"]


def _module_of(config: pytest.Config, file: Path) -> str:
    """Return the name by which a module, or the package of a folder with a file for each table, is imported."""
    folders = [path for path in (*config.getini("pythonpath"), config.rootpath) if file.is_relative_to(path)]
    path = file.relative_to(folders[0]) if folders else file
    parts = path.with_suffix("").parts
    return ".".join(parts[:2] if len(parts) > 2 else parts)  # noqa: PLR2004 - folder, schema, table


_PYTEST_SECTION = '[tool.pytest.ini_options]\npythonpath = ["."]\n'
"""The section that pytest 8 and 9 read."""

_SECTION_NAME = SECTION.partition(".")[2]


class ProjectText(NamedTuple):
    """A ``pyproject.toml``, which need not exist."""

    path: Path
    text: str
    tool: dict[str, Any]
    """Its table ``tool``; empty if it has none."""
    configured_by: Path | None
    """The file that configures pytest; ``None`` if there is none."""

    @classmethod
    def read(cls, path: Path, config: pytest.Config) -> ProjectText:
        """Read the file."""
        try:
            text = path.read_bytes().decode()
        except FileNotFoundError:
            text = ""
        except OSError as error:
            msg = f"{path} cannot be read: {os_error_text(error)}; nothing was written"
            raise pytest.UsageError(msg) from None
        except ValueError as error:
            msg = f"{path} is not UTF-8: {error}; nothing was written"
            raise pytest.UsageError(msg) from None
        tool = _tool_table(text, path)
        return cls(path, text, tool, _configured_by(config, path, tool))

    @property
    def has_section(self) -> bool:
        """Whether it has the section of this package."""
        return _SECTION_NAME in self.tool

    def settings(self, modules: Sequence[str]) -> str:
        """Return the lines that name the modules of models, with the section of pytest if nothing configures it."""
        listed = ", ".join(f'"{name}"' for name in modules)
        section = f"[{SECTION}]\nmodels = [{listed}]\n"
        return section if self.configured_by else f"{_PYTEST_SECTION}\n{section}"

    def extended(self, modules: Sequence[str]) -> bytes | None:
        """Return its bytes with a section that names the modules; ``None`` if it cannot be extended at its end."""
        gap = "" if not self.text else "\n" if self.text.endswith("\n") else "\n\n"
        ends = "\r\n" if "\r\n" in self.text else "\n"
        text = self.text + f"{gap}{self.settings(modules)}".replace("\n", ends)
        is_read = _tool_table(text, self.path).get(_SECTION_NAME) == {"models": list(modules)}
        return text.encode() if is_read else None


def _configured_by(config: pytest.Config, project: Path, tool: dict[str, Any]) -> Path | None:
    if config.inipath is None or not config.inipath.is_file():
        return project if "pytest" in tool else None
    return config.inipath if config.inipath != project or "pytest" in tool else None


def _tool_table(text: str, path: Path) -> dict[str, Any]:
    try:
        tool = toml(text.replace("\r\n", "\n")).get("tool", {})
    except ValueError as error:
        msg = f"{path} cannot be read: {error}; nothing was written"
        raise pytest.UsageError(msg) from None
    return tool if isinstance(tool, dict) else {}

"""The part of the plugin that runs in every pytest run, also in one that has no tables and no settings of this package.

It is loaded with the plugin: it imports no module that such a run does not need.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.settings.table import (
    INI_FILES,
    LISTS,
    NO_VALUE,
    OPTIONS,
    may_have_misspelt_section,
    project_file_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.settings import PushedSettings
    from pytest_delta_schema.settings.table import Setting


RUN: pytest.StashKey[ContractRun] = pytest.StashKey()
"""Key of the run in the configuration's stash, which has it from the first use of this package on."""

PUSHED: pytest.StashKey[PushedSettings] = pytest.StashKey()
"""Key of the run's entry on the stack of settings."""

RUNNING: pytest.StashKey[pytest.Item] = pytest.StashKey()
"""Key of the item that runs, or ran last."""

OUTCOME: pytest.StashKey[TableOutcome] = pytest.StashKey()
"""Key of the outcome in an item's stash."""

TABLE_MODULE = "pytest_delta_schema.models.table"
"""A run that has not imported this module has no tables."""

PYTEST_MARKS = {
    "delta": "every check of a declared table",
    "delta_rules": "the check that a declaration breaks no rule",
    "delta_ddl": "the snapshot of the SQL that would create the table",
    "delta_drift": "the check that the catalog holds what the model wants (--delta-drift)",
    "delta_unmanaged": "the check that a schema holds no table that no model declares (--delta-drift)",
    "delta_metadata": "the check that the catalog entry of a table matches its Delta log (unity)",
    "delta_apply": "changes the catalog until it matches the model (--delta-apply)",
    "delta_import": "the model of a table was written, and nothing differs (--delta-import)",
    "delta_adopt": "the model of a table declares what the table has (--delta-adopt)",
    "delta_compat": "the check that a changed contract breaks nobody (--delta-against)",
    "delta_odcs": "the check that the model and the data contract of a table say the same (setting odcs)",
    "delta_enforces": "the check that a table stops rows which break its constraints (--delta-enforce)",
}


def add_options(parser: pytest.Parser) -> None:
    """Declare all options."""
    jobs = parser.getgroup("delta", "contracts of Delta Lake tables", after="general")
    settings = parser.getgroup("delta settings", "settings for contracts of Delta Lake tables", after="delta")
    for setting in OPTIONS:
        group = jobs if setting.is_option_only and setting.name != "set" else settings
        group.addoption(setting.option, dest=setting.dest, **_option(setting))


def _option(setting: Setting) -> dict[str, Any]:
    """Return the arguments with which argparse declares an option."""
    if setting.kind == "flag":
        return {"action": "store_true", "help": setting.help}
    choices = f": {', '.join(setting.choices)}" if setting.choices else ""
    repeated = {"action": "append"} if setting.kind in LISTS else {}
    # An option of a choice is checked with all others, which says more than argparse does.
    optional = {"nargs": "?", "const": NO_VALUE} if setting.kind == "choice" else {}
    return {"metavar": setting.metavar, "help": f"{setting.help}{choices}", **repeated, **optional}


def is_configured(config: pytest.Config) -> bool:
    """Whether a run may have settings of this package; those of other runs are read when a table needs them."""
    project = project_file_of(project_folder(config))
    return (
        any(getattr(config.option, setting.dest) not in (None, False) for setting in OPTIONS)
        or "delta_" in (config.getoption("markexpr", "") or "")
        or any("." in name for argument in config.args for name in argument.split("::")[1:-1])
        or (project is not None and _has_section(project))
        or any(_may_have_misspelt_section(path) for path in files_of_pytest(config))
    )


def _has_section(path: Path) -> bool:
    """Whether a file may have the section; also if it cannot be read, so the error is shown."""
    try:
        return b"pytest_delta_schema" in path.read_bytes()
    except OSError:
        return True


def _may_have_misspelt_section(path: Path) -> bool:
    try:
        return may_have_misspelt_section(path.read_bytes())
    except OSError:
        return False


def files_of_pytest(config: pytest.Config) -> list[Path]:
    """Return the files in which somebody may have written a section of this package, also if pytest reads others."""
    project = project_file_of(project_folder(config))
    folders = [project_folder(config), config.rootpath, *([] if project is None else [project.parent])]
    files = [folder / name for folder in dict.fromkeys(folders) for name in INI_FILES]
    return files if config.inipath in files or config.inipath is None else [*files, config.inipath]


_SECTION = re.compile(rb"(?m)^\[tool\.pytest_delta_schema\]")

_OTHER_PROJECTS: pytest.StashKey[list[Path]] = pytest.StashKey()
"""Key of the folders of projects whose settings a run does not read."""


def note_project(config: pytest.Config, file: Path) -> None:
    """Note a project whose ``pyproject.toml`` has a section for this package that the run does not read."""
    with suppress(OSError):
        if file != project_file_of(project_folder(config)) and _SECTION.search(file.read_bytes()):
            config.stash.setdefault(_OTHER_PROJECTS, []).append(file.parent)


def other_projects(config: pytest.Config) -> str | None:
    """Return a line that names the projects whose contracts a run does not check; ``None`` if there are none."""
    folders = sorted(os.path.relpath(folder, config.rootpath) for folder in config.stash.get(_OTHER_PROJECTS, []))
    if not folders:
        return None
    subject = "1 project has" if len(folders) == 1 else f"{len(folders)} projects have"
    return (
        f"delta schema: {subject} contracts that this run does not check: {', '.join(folders)};"
        f" check them in their folders: cd {shlex.quote(folders[0])} && pytest"
    )


def project_folder(config: pytest.Config) -> Path:
    """Return the folder in which the search for ``pyproject.toml`` and relative paths start."""
    return config.inipath.parent if config.inipath is not None and config.inipath.is_file() else config.rootpath


def is_on_github() -> bool:
    """Whether this is a step of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


WITHOUT_WORKERS: pytest.StashKey[str] = pytest.StashKey()
"""Key of the line that says why a run has no workers of xdist."""


def run_in_one_process(config: pytest.Config) -> None:
    """Turn the workers of xdist off for a run that changes a catalog; xdist starts them after this."""
    option = config.option
    changes = option.delta_schema_apply or (option.delta_schema_sync_metadata and not option.delta_schema_drift)
    if changes and getattr(option, "dist", "no") != "no" and getattr(option, "tx", None):
        mode = "apply" if option.delta_schema_apply else "sync-metadata"
        config.stash[WITHOUT_WORKERS] = f"--delta-{mode} runs in one process; the workers of xdist are turned off"
        option.dist, option.tx, option.numprocesses = "no", [], 0


class ProgressHandler(logging.Handler):
    """Shows log records; what shows them is imported for the first one."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(logging.INFO)
        self._config = config

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record at once."""
        from pytest_delta_schema.plugin.terminal import handler_of

        handler_of(self._config).handle(record)


_WITH_JAVA_STACKS = 2
"""The verbosity, that of ``-vv``, with which the captured log of failed tests has the Java stack of errors."""


def show_progress(config: pytest.Config) -> None:
    """Show what this package logs, from INFO on, until the run ends; in nested runs only the innermost one shows it."""
    logger = logging.getLogger("pytest_delta_schema")
    level, outer = logger.level, [handler for handler in logger.handlers if isinstance(handler, ProgressHandler)]
    handler = ProgressHandler(config)
    for other in outer:
        logger.removeHandler(other)
    logger.addHandler(handler)
    if logger.getEffectiveLevel() > logging.INFO:
        logger.setLevel(logging.INFO)

    def restore() -> None:
        logger.removeHandler(handler)
        logger.setLevel(level)
        for other in outer:
            logger.addHandler(other)

    config.add_cleanup(restore)
    if config.getoption("verbose", 0) >= _WITH_JAVA_STACKS:
        java = logging.getLogger("pytest_delta_schema.java")
        config.add_cleanup(partial(java.setLevel, java.level))
        java.setLevel(logging.DEBUG)

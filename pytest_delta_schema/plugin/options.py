"""The options on the command line, the ini keys, the marks, and the options of one run."""

# Annotations are not postponed here: a named tuple compiles each postponed one, and every pytest run loads this module.

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import pytest

from pytest_delta_schema.engine.configuration import (
    LISTS,
    SETTINGS,
    Kind,
    RunMode,
    Setting,
)
from pytest_delta_schema.engine.settings import Settings
from pytest_delta_schema.models.modes import UnmanagedMode

if TYPE_CHECKING:
    from pytest_delta_schema.redaction import Uri

DRIFT, APPLY, SYNC = get_args(RunMode)

MARKS = {
    "delta": "every check of a declared table",
    "delta_rules": "the check that a declaration breaks no rule",
    "delta_ddl": "the snapshot of the SQL that would create the table",
    "delta_drift": "the check that the catalog holds what the model wants (--delta-drift)",
    "delta_unmanaged": "the check that a schema holds no table that no model declares (--delta-drift)",
    "delta_metadata": "the check that the catalog entry of a table matches its Delta log (unity)",
    "delta_apply": "changes the catalog until it matches the model (--delta-apply)",
}


class Unity(NamedTuple):
    """The settings of a Unity Catalog server, and of the synchronisation of its entries.

    Args:
        uri: Its address, shown without secrets; ``None`` if it is not configured.
        token_variable: The environment variable that holds its token.
        timeout: Seconds to wait for an answer.
        sync_on_read: Whether entries are synchronised when they are read; in a gate only by the command line.
        sync_recreate: Whether a sync on request may delete an entry and create it again, where a server has no updates.
    """

    uri: "Uri | None"
    token_variable: str
    timeout: float
    sync_on_read: bool
    sync_recreate: bool


class Options(NamedTuple):
    """One run's options, checked; a named tuple, because a dataclass would cost every pytest run a millisecond.

    Args:
        mode: ``drift``, ``apply``, ``sync-metadata``, or ``None`` for a run without a catalog.
        project_file: The ``pyproject.toml`` whose section was read; ``None`` if there is no section.
        models: The modules whose tables are collected: their files, each with its dotted name.
        packages: The packages among the setting ``models``, each with the files of all its modules.
        backend: Name of the catalog.
        read_threads: How many tables are read at once, on backends that read them one by one.
        unity: How a Unity Catalog server is reached, and whether its entries are synchronised.
        databricks_warehouse: The id of a SQL warehouse; ``""`` to run statements by a Spark session.
        stores: The stores that hold files of tables, each as the arguments of a ``Storage``.
        warehouse: Folder of the local catalog, absolute; may hold :data:`WORKER`.
        settings: Everything that changes a verdict, besides the rules that hooks return.
        unmanaged: What a gate does about tables that no model declares.
        unmanaged_ignore: Glob patterns of tables that ``unmanaged`` leaves out.
        jvm_archive: Whether an archive of the JVM's classes is kept for the next start.
    """

    mode: RunMode | None
    project_file: Path | None
    models: Mapping[Path, str]
    packages: Mapping[str, frozenset[Path]]
    backend: str
    read_threads: int
    unity: Unity
    databricks_warehouse: str
    stores: tuple[Mapping[str, Any], ...]
    warehouse: str
    settings: Settings
    unmanaged: UnmanagedMode
    unmanaged_ignore: tuple[str, ...]
    jvm_archive: bool


def add_options(parser: pytest.Parser) -> None:
    """Declare all options and ini keys."""
    group = parser.getgroup("delta", "schema contracts for Delta Lake")
    for setting in SETTINGS:
        if setting.on_command_line:
            group.addoption(setting.option, dest=setting.dest, **_option(setting))
        if setting.in_ini:
            # None tells a key that is missing from one that has the default.
            parser.addini(setting.ini_key, setting.help, type=_ini_type(setting.kind), default=None)


def _option(setting: Setting) -> dict[str, Any]:
    """Return the arguments with which argparse declares an option."""
    if setting.kind == "flag":
        return {"action": "store_true", "help": setting.help}
    choices = f": {', '.join(setting.choices)}" if setting.choices else ""
    help_text = f"{setting.help}{choices} (ini: {setting.ini_key})"
    repeated = {"action": "append"} if setting.kind in LISTS else {}
    return {"metavar": setting.metavar, "help": help_text, **repeated}


def _ini_type(kind: Kind) -> Any:
    """Return the type of an ini key.

    From version 9 on, pytest tells numbers from texts in TOML, and from 9.2 on a key may be either, so that this
    package can say what is wrong with a text.
    """
    number = _NUMBERS.get(kind)
    if number is None or pytest.version_tuple < (9,):
        return _INI_TYPES.get(kind, "string")
    return number | str if pytest.version_tuple >= (9, 2) else number.__name__


_NUMBERS: Mapping[Kind, type[int | float]] = {"count": int, "seconds": float}
"""The kinds that are numbers."""

_INI_TYPES: Mapping[Kind, Literal["bool", "args", "linelist"]] = {
    "flag": "bool",
    "list": "args",
    "rules": "args",
    "bindings": "linelist",
    "clients": "linelist",
    "pairs": "linelist",
    "client features": "linelist",
    "consents": "linelist",
}
"""The ini types of kinds that are no strings."""


def worker_id(config: pytest.Config) -> str:
    """Return the name of the xdist worker, ``main`` without xdist."""
    return str(getattr(config, "workerinput", {}).get("workerid", "main"))


def is_distributed(config: pytest.Config) -> bool:
    """Whether this process is a worker of xdist or controls workers; a run that only collects starts none."""
    option = config.getoption
    return is_worker(config) or (
        option("dist", "no") != "no" and bool(option("tx", None)) and not option("collectonly", default=False)
    )


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is an xdist worker."""
    return hasattr(config, "workerinput")

"""The options of one run."""

# Annotations are not postponed here: a named tuple compiles each postponed one.

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.settings.kinds import RunMode
from pytest_delta_schema.settings.table import UnmanagedMode

if TYPE_CHECKING:
    from pytest_delta_schema.configuration.report_targets import ReportFile
    from pytest_delta_schema.diagnostics.redaction import Uri

DRIFT, APPLY, SYNC, ENFORCE = get_args(RunMode)


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
    """One run's options, checked.

    Args:
        mode: ``drift``, ``apply``, ``sync-metadata``, ``enforce`` if it is none of these, or ``None`` for a run without
            a catalog.
        contracts_only: Whether tests are deselected that no node id names, because the command line has a mode.
        enforces: Whether scratch tables have to stop rows that break their constraints, in any mode.
        project_file: The ``pyproject.toml`` whose section was read; ``None`` if there is no section.
        models: The modules whose tables are collected: their files, each with its dotted name.
        packages: The packages among the setting ``models``, each with the files of all its modules.
        backend: Name of the catalog.
        read_threads: How many tables are read at once, on backends that read them one by one.
        unity: How a Unity Catalog server is reached, and whether its entries are synchronised.
        databricks_warehouse: The id of a SQL warehouse; ``""`` to run statements by a Spark session.
        databricks_start_timeout: How many seconds that warehouse may take to start.
        stores: The stores that hold files of tables, each as the arguments of a ``Storage``.
        warehouse: Folder of the local catalog, absolute; may hold :data:`WORKER`.
        scratch_catalog: The catalog of scratch tables; ``""`` for that of the model.
        settings: Everything that changes a verdict, besides the rules that hooks return.
        unmanaged: What a gate does about tables that no model declares.
        unmanaged_ignore: Glob patterns of tables that ``unmanaged`` leaves out.
        jvm_archive: Whether an archive of the JVM's classes is kept for the next start.
        keep_jvm: Seconds for which the JVM of the run may be idle afterwards; ``None`` if it ends with the run.
        reports: The reports that are written at the end.
        report_samples: Whether reports show which rows fail a data check.
        expired_consents: The expired consents of the project.
    """

    mode: RunMode | None
    contracts_only: bool
    enforces: bool
    project_file: Path | None
    models: Mapping[Path, str]
    packages: Mapping[str, frozenset[Path]]
    backend: str
    read_threads: int
    unity: Unity
    databricks_warehouse: str
    databricks_start_timeout: float
    stores: tuple[Mapping[str, Any], ...]
    warehouse: str
    scratch_catalog: str
    settings: Settings
    unmanaged: UnmanagedMode
    unmanaged_ignore: tuple[str, ...]
    jvm_archive: bool
    keep_jvm: "float | None"
    reports: tuple["ReportFile", ...]
    report_samples: bool
    expired_consents: tuple[str, ...]

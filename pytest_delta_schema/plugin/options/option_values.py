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

DRIFT, APPLY, SYNC, ENFORCE, AGAINST, IMPORT, ADOPT = get_args(RunMode)
WRITES_MODELS = (IMPORT, ADOPT)
"""The modes that write models, and check no table."""


class Unity(NamedTuple):
    """The settings of a Unity Catalog server, and of the synchronisation of its entries."""

    uri: "Uri | None"
    """Its address, shown without secrets; ``None`` if it is not configured."""
    token_variable: str
    """The environment variable that holds its token."""
    timeout: float
    sync_on_read: bool
    """Whether entries are synchronised when they are read; in a gate only by the command line."""
    sync_recreate: bool
    """Whether a sync on request may delete an entry and create it again, where a server has no updates."""


class Options(NamedTuple):
    """One run's options, checked."""

    mode: RunMode | None
    """``import``, ``drift``, ``apply`` or ``sync-metadata``, ``enforce`` or ``against`` if it is none of these, or
    ``None`` for a run that only checks declarations."""
    contracts_only: bool
    """Whether tests are deselected that no node id names, because the command line has a mode."""
    enforces: bool
    """Whether scratch tables have to stop rows that break their constraints, in any mode."""
    project_file: Path | None
    """The ``pyproject.toml`` whose section was read; ``None`` if there is no section."""
    models: Mapping[Path, str]
    """The modules whose tables are collected: their files, each with its dotted name."""
    packages: Mapping[str, frozenset[Path]]
    """The packages among the setting ``models``, each with the files of all its modules."""
    backend: str
    read_threads: int
    """How many tables are read at once, on backends that read them one by one."""
    unity: Unity
    databricks_warehouse: str
    """The id of a SQL warehouse; ``""`` to run statements by a Spark session."""
    databricks_start_timeout: float
    """How many seconds that warehouse may take to start."""
    stores: tuple[Mapping[str, Any], ...]
    """The stores that hold files of tables, each as the arguments of a ``Storage``."""
    warehouse: str
    """Folder of the local catalog, absolute; may hold :data:`WORKER`."""
    scratch_catalog: str
    """The catalog of scratch tables; ``""`` for that of the model."""
    settings: Settings
    """Everything that changes a verdict, besides the rules that hooks return."""
    unmanaged: UnmanagedMode
    unmanaged_ignore: tuple[str, ...]
    """Glob patterns of tables that ``unmanaged`` leaves out."""
    release_tags: tuple[str, ...]
    """Glob patterns of the tags that are releases."""
    jvm_archive: bool
    keep_jvm: "float | None"
    """Seconds for which the JVM of the run may be idle afterwards; ``None`` if it ends with the run."""
    reports: tuple["ReportFile", ...]
    report_samples: bool
    expired_consents: tuple[str, ...]
    adopt: str
    """``diff`` or ``write`` in a run that accepts drift."""
    imports: tuple[str, ...]
    """The values of ``--delta-import``."""
    against: tuple[str, ...]
    """The values of ``--delta-against``."""
    witness: str
    """The folder for scripts that show what a change breaks, as it was given; ``""`` for none."""
    import_owns: tuple[str, ...]
    """The values of ``--delta-import-owns``; without one all aspects are managed."""

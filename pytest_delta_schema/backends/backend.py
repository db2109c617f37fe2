"""Backends: catalog implementations that a run chooses by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.execute.protocols.catalog import Catalog


ScratchTables = Literal["anywhere", "anywhere in tests", "in scratch catalog", "nowhere"]
"""Where a run may create tables and write rows to them, as ``make_delta_table`` and ``--delta-enforce`` do.

``anywhere``: all catalogs are the project's own, in this process or in its warehouse. ``in scratch catalog``: only
where the setting ``scratch_catalog`` allows it, because others use the catalogs, too. ``anywhere in tests``: so in a
run with a mode, such as ``--delta-drift``, and anywhere in other runs, whose session is that of the tests. ``nowhere``:
the backend writes no rows.
"""


def _no_option(name: str) -> Any:
    raise KeyError(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendSettings:
    """The settings of a run that backends use.

    Args:
        values: The settings of this package by their names, such as ``warehouse``, ``read_threads`` and ``unity_uri``.
        option: Returns the value of an option or an ini key that another pytest plugin declares: the argument is the
            option's ``dest``, or the ini key. It raises ``KeyError`` if no plugin declares it.
        mode: ``drift``, ``apply``, ``sync-metadata`` or ``enforce``; ``None`` if only tests use the catalog.
        shares_warehouse: Whether several processes of the run use the same warehouse folder, as under xdist.
    """

    values: Mapping[str, Any]
    option: Callable[[str], Any] = _no_option
    mode: str | None = None
    shares_warehouse: bool = False


class BackendContext(Protocol):
    """The means with which a backend opens its catalog."""

    @property
    def settings(self) -> BackendSettings:
        """The settings of the run."""
        ...

    def warehouse(self) -> Path:
        """Return the folder for tables of this process; in pytest the value of the fixture ``delta_warehouse``."""
        ...

    def spark(self) -> SparkSession:
        """Return the Spark session of the run, in pytest the value of ``delta_spark``; it starts when first needed."""
        ...

    def starts_own_spark(self) -> bool:
        """Whether :meth:`spark` starts a session with the settings of this package, which nothing overrides.

        Then a backend may read tables without it, from where that session would find them.
        """
        ...

    def call_at_end(self, function: Callable[[], object]) -> None:
        """Call a function when the catalog is no longer used, for example to close a connection."""
        ...


def _no_faults(_: BackendSettings) -> Iterable[str]:
    return ()


def _no_location(_: BackendSettings) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A catalog implementation.

    Another distribution provides one by an entry point of the group ``pytest_delta_schema.backends``. The entry point's
    name is what ``--delta-backend`` takes, and its value refers to an instance of this class.

    Args:
        open: Opens the catalog; called once in a process, when the catalog is first used. A
            :class:`BackendUnavailableError` stops every check that needs the catalog with one line.
        faults: Returns a message for each fault in the settings, as a usage error. It is called in runs with a mode,
            before anything is collected.
        location: Returns where the catalog is, without secrets, for the header of the report: ``server https://...``.
            It tells two catalogs of one backend apart where reports are merged.
        keeps_entries: Whether its catalogs are
            :class:`~pytest_delta_schema.execute.protocols.metadata_sync.SyncsEntries`. Then a
            check ``::metadata`` is collected for each table, and ``--delta-sync-metadata`` is allowed.
        scratch_tables: Where tests and ``--delta-enforce`` create tables. Unless it is ``nowhere``, its catalogs are
            :class:`~pytest_delta_schema.execute.protocols.row_appends.AppendsRows`.
    """

    open: Callable[[BackendContext], Catalog]
    faults: Callable[[BackendSettings], Iterable[str]] = _no_faults
    location: Callable[[BackendSettings], str] = _no_location
    keeps_entries: bool = False
    scratch_tables: ScratchTables = "nowhere"

    def needs_scratch_catalog(self, mode: str | None) -> bool:
        """Whether a run creates tables only where the setting ``scratch_catalog`` allows it.

        Args:
            mode: The mode of the run; ``None`` without one.
        """
        if self.scratch_tables == "anywhere in tests":
            return mode is not None
        return self.scratch_tables == "in scratch catalog"

"""Backends: catalog implementations that a run chooses by name."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, first_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from pyspark.sql import SparkSession

    from pytest_delta_schema.execute.protocols import Catalog


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
        values: The settings of this package by their names, such as ``warehouse`` and ``unity_uri``.
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
            :class:`~pytest_delta_schema.execute.protocols.SyncsEntries`. Then a
            check ``::metadata`` is collected for each table, and ``--delta-sync-metadata`` is allowed.
        only_reads: Whether its catalogs run no statement, as their capabilities say. Then ``--delta-apply`` is refused,
            and tests and ``--delta-enforce`` create tables on the backend of the setting ``scratch_backend``.
        scratch_tables: Where tests and ``--delta-enforce`` create tables. Unless it is ``nowhere``, its catalogs are
            :class:`~pytest_delta_schema.execute.protocols.AppendsRows`.
    """

    open: Callable[[BackendContext], Catalog]
    faults: Callable[[BackendSettings], Iterable[str]] = lambda _: ()
    location: Callable[[BackendSettings], str] = lambda _: ""
    keeps_entries: bool = False
    only_reads: bool = False
    scratch_tables: ScratchTables = "nowhere"

    def needs_scratch_catalog(self, mode: str | None) -> bool:
        """Whether a run creates tables only where the setting ``scratch_catalog`` allows it.

        Args:
            mode: The mode of the run; ``None`` without one.
        """
        if self.scratch_tables == "anywhere in tests":
            return mode is not None
        return self.scratch_tables == "in scratch catalog"


ENTRY_POINT_GROUP = "pytest_delta_schema.backends"
"""The group of entry points by which other distributions make backends known."""

BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "local": "pytest_delta_schema.backends.local.backend",
        "memory": "pytest_delta_schema.backends.memory.backend",
        "session": "pytest_delta_schema.backends.spark_session.backend",
        "unity": "pytest_delta_schema.backends.unity.backend",
        "locations": "pytest_delta_schema.backends.locations.backend",
        "databricks": "pytest_delta_schema.backends.databricks.backend",
    }
)
"""The modules of the built-in backends, each with a constant ``BACKEND``; imported when one is chosen."""


def find_backend(name: str) -> Backend:
    """Return a backend; entry points are read only for a name that is not built in.

    Args:
        name: As ``--delta-backend`` takes it.

    Raises:
        BackendUnavailableError: If there is none of that name, or it cannot be loaded.
    """
    if name in BUILT_IN:
        backend: Backend = import_module(BUILT_IN[name]).BACKEND
        return backend
    installed = entry_points(group=ENTRY_POINT_GROUP)
    candidates = {point.value: point for point in installed if point.name == name}
    if not candidates:
        raise BackendUnavailableError(_unknown(name, sorted({point.name for point in installed} - BUILT_IN.keys())))
    if len(candidates) > 1:
        sources = " and ".join(sorted(map(_source, candidates.values())))
        msg = f"the delta backend {name!r} is installed more than once, by {sources}; uninstall all but one"
        raise BackendUnavailableError(msg)
    return _load(*candidates.values())


def _load(point: EntryPoint) -> Backend:
    try:
        backend = point.load()
    except Exception as error:
        msg = (
            f"the delta backend {point.name!r} of {_source(point)} cannot be loaded"
            f" ({type(error).__name__}: {first_line(error)}); install what it needs, or choose another backend"
        )
        raise BackendUnavailableError(msg) from error
    if not isinstance(backend, Backend):
        msg = (
            f"the entry point {point.name!r} of {_source(point)} is {backend!r}, not a Backend; point it to an"
            " instance of pytest_delta_schema.backends.Backend"
        )
        raise BackendUnavailableError(msg)
    return backend


def _source(point: EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.dist.name} {point.dist.version} ({point.value})"


def _unknown(name: str, installed: Iterable[str]) -> str:
    others = ", ".join(installed)
    nearest = get_close_matches(name, [*BUILT_IN, *installed], n=1)
    guess = f" (did you mean {nearest[0]!r}?)" if nearest else ""
    besides = f"; installed besides: {others}" if others else ""
    return f"there is no delta backend {name!r}{guess}; choose one of {', '.join(BUILT_IN)}{besides}"

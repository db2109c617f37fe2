"""The undocumented behaviour of syrupy that the plugin changes: which snapshots it deletes.

syrupy 7.0 deletes every snapshot that was not used, also after ``--collect-only``, ``-x``, a collection error or a test
that fails before its assertion. So it may clean up only after complete runs that pass. Which snapshots count as unused
is corrected, too, see :class:`_Report`.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import syrupy.session
from syrupy.data import SnapshotCollections, SnapshotUnknownCollection
from syrupy.report import SnapshotReport

from pytest_delta_schema.configuration.files import shown_path
from pytest_delta_schema.diagnostics.text import printed_line
from pytest_delta_schema.state.json_shapes import SQL_FILE, STATE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from syrupy.assertion import SnapshotAssertion
    from syrupy.extensions.base import AbstractSyrupyExtension

VERSIONS = {"syrupy": ">=5,<8"}
"""The versions with which the names of these options were tested."""

_CORRECTED = 6
"""The first version that needs no :class:`_CorrectedReport`."""

_BEFORE = pytest.StashKey[bool]()
_SELECTING = ("keyword", "markexpr", "lf", "stepwise", "deselect")


class _Report(SnapshotReport):
    """Leaves files of states to the snapshots of SQL to which they belong."""

    @property
    def unused(self) -> SnapshotCollections:
        unused = SnapshotCollections()
        for collection in super().unused:
            if not collection.location.endswith(STATE_FILE):
                unused.add(collection)
        return unused


class _CorrectedReport(_Report):
    """Finds unused snapshots as syrupy 6.0 does, with the classes of syrupy 5."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self.options, "disable_unused_snapshots", False):
            self.discovered = SnapshotCollections()

    @property
    def unused(self) -> SnapshotCollections:
        unused = SnapshotCollections()
        for collection in super().unused:
            location = collection.location
            is_unknown = isinstance(collection, SnapshotUnknownCollection)
            if not (is_unknown and self._skipped_items_match_name(location, Path(location).stem)):
                unused.add(collection)
        return unused


@contextmanager
def corrected_report() -> Iterator[None]:
    """Make syrupy find unused snapshots as the plugin needs it, while the session ends."""
    is_old = int(version("syrupy").partition(".")[0]) < _CORRECTED
    module: Any = syrupy.session
    module.SnapshotReport = _CorrectedReport if is_old else _Report
    try:
        yield
    finally:
        module.SnapshotReport = SnapshotReport


def write_queued(snapshot: SnapshotAssertion, extension: type[AbstractSyrupyExtension]) -> str:
    """Write the file of the last assertion, and return why that is not possible, or ``""``.

    syrupy writes it before version 7 when the session ends, where an error belongs to no table.
    """
    queue: Any = snapshot.session._queued_snapshot_writes  # noqa: SLF001 - only the flush of everything is public
    location = snapshot.executions[snapshot.num_executions - 1].snapshot_location
    texts = queue.pop((extension, location), None)
    if not texts:
        return ""
    from pytest_delta_schema.engine.source_files import UnwritableFileError

    try:
        extension.write_snapshot(
            snapshot_location=location, snapshots=[(data, *place) for place, data in texts.items()]
        )
    except UnwritableFileError as error:
        return str(error)
    return ""


def find_no_unused(config: pytest.Config) -> None:
    """Keep syrupy from looking for unused snapshots when the session ends."""
    config.stash[_BEFORE] = getattr(config.option, "disable_unused_snapshots", False)
    config.option.disable_unused_snapshots = True


def report_no_unused(config: pytest.Config) -> None:
    """Keep the report of syrupy, which comes next, from mentioning that it has not looked for unused snapshots."""
    if _BEFORE in config.stash:
        config.option.disable_unused_snapshots = config.stash[_BEFORE]


def unused_lines(config: pytest.Config) -> list[str]:
    """Return a line for each table that still has files, and is not declared any more or in another module."""
    report: Any = getattr(getattr(config, "_syrupy", None), "report", None)
    unused = () if report is None or report.update_snapshots else report.unused
    files = sorted(Path(item.location) for item in unused if item.location.endswith(SQL_FILE))
    if not files:
        return []
    used = {Path(item.location).name: Path(item.location) for item in report.used}
    root = config.invocation_params.dir
    return [
        printed_line(
            f"{_shown_files(file, root)} is of a table that {_whereabouts(used.get(file.name), root)}; delete it:"
            " pytest --snapshot-update"
        )
        for file in files
    ]


def _whereabouts(snapshot: Path | None, root: Path) -> str:
    """Return where a table is declared that has a snapshot elsewhere, which is next to its module."""
    if snapshot is None:
        return "is not declared"
    module = snapshot.parent.parent.with_name(f"{snapshot.parent.name}.py")
    return f"moved to {shown_path(module, root)}"


def _shown_files(file: Path, root: Path) -> str:
    """Return the file of the SQL of a table and that of its state, or the one of them that exists."""
    state = Path(f"{str(file).removesuffix(SQL_FILE)}{STATE_FILE}")
    if not file.exists():
        return shown_path(state, root)
    return f"{shown_path(file, root)} (with {STATE_FILE})" if state.exists() else shown_path(file, root)


def leave_out_parameters(snapshot: SnapshotAssertion) -> None:
    """Name the files of a snapshot by its test alone, because other plugins repeat items with parameters."""
    for name in ("nodename", "testname"):
        object.__setattr__(snapshot.test_location, name, snapshot.test_location.methodname)


def mark_as_skipped(config: pytest.Config, node_ids: Iterable[str]) -> None:
    """Mark items as skipped for syrupy, so their snapshots do not count as unused."""
    from syrupy.session import ItemStatus

    session: Any = getattr(config, "_syrupy", None)
    for node_id in node_ids if session is not None else ():
        session._selected_items[node_id] = ItemStatus.SKIPPED  # noqa: SLF001 - there is no public way


def protect_after_run(session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
    """Forbid the clean-up unless everything was selected, everything ran, and everything passed."""
    option = session.config.option
    selected = any(getattr(option, name, None) for name in _SELECTING)
    chosen = any("::" in arg for arg in session.config.args)
    stopped = session.shouldstop or session.shouldfail
    if exitstatus != pytest.ExitCode.OK or stopped or selected or chosen:
        if not hasattr(option, "no_cleanup"):  # syrupy before 5.4
            find_no_unused(session.config)
        option.no_cleanup = True

"""Observe what a job changes in a table: the effect of a block, the counts of its commits, and the history."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, cast

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.protocol import supported_features
from pytest_delta_schema.diagnostics.errors import (
    CatalogReadError,
    DeclarationError,
    DeltaSchemaError,
    Diagnostic,
    EffectError,
    diagnostic_of,
)
from pytest_delta_schema.diagnostics.faults import UnreadableTable
from pytest_delta_schema.diagnostics.text import counted, escaped
from pytest_delta_schema.execute.protocols import Absence, IdentifiesTables
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.kinds import ABSENT, ADD, DROP
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.rules.properties import declarable_properties
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.test_kit.comparison import contract_drift, name_of, unmatched_rows, versions_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from typing_extensions import Self

    from pytest_delta_schema.execute.protocols import Catalog, KeepsVersions
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.commits import Commit, DataFile
    from pytest_delta_schema.state.states import CatalogReader, TableState


@hides_traceback
def effect_on(table: Table | str, catalog: Catalog) -> AbstractContextManager[Effect]:
    """Return a context that observes what its block does to a table, which it may create."""
    name = name_of(table)
    observation = Observation(
        versions_in(catalog, "delta_effect"), name, lambda model: contract_drift(model, name, catalog)
    )
    return cast("AbstractContextManager[Effect]", observation)


@hides_traceback
def versions_of(table: Table | str, catalog: CatalogReader) -> tuple[Commit, ...]:
    """Return the commits of a table, the oldest first."""
    return versions_in(catalog, "delta_versions").commits(name_of(table))


TableFate = Literal["kept", "created", "dropped", "recreated", "absent"]
"""What a job did to the table as a whole; ``absent`` if it did not exist before and does not exist after."""


class EffectSource(Protocol):
    """Reads what the commits of a job do not have, when an effect needs it."""

    def compared(self, version: int) -> ChangedRows:
        """Return the rows that differ between a version and the one before it."""
        ...

    def commits_before(self) -> tuple[Commit, ...]:
        """Return the commits of the table from before the job, if its log still has them."""
        ...

    def drift(self, model: Table) -> str:
        """Return how the table differs from a model; ``""`` if it does not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaChange:
    """One difference between the schemas before and after a job.

    Args:
        path: Where inside the table, such as ``columns.note`` or ``checks.positive``.
        before: What was there; ``(absent)`` for nothing.
        after: What is there now.
    """

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of a job on one table, from its commits and from the states before and after it.

    Args:
        table: The table.
        before: Its state before the job.
        after: Its state after the job.
        table_was: Whether the table was ``kept``, ``created``, ``dropped``, ``recreated``, or ``absent`` all the time.
        commits: The commits of the job, the oldest first; of a table that was recreated, all that it has.
        source: Reads what the commits do not have.
    """

    table: QualifiedName
    before: TableState
    after: TableState
    table_was: TableFate
    commits: tuple[Commit, ...]
    source: EffectSource = field(repr=False, compare=False)

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions that the job made."""
        return tuple(commit.version for commit in self.commits)

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations of the commits, such as ``("WRITE", "MERGE")``."""
        return tuple(commit.operation for commit in self.commits)

    @property
    def rows_added(self) -> int:
        """How many rows the commits added: from their metrics, or else by comparing versions.

        An overwrite removes all rows that it replaces, and adds the new ones.
        """
        return sum(counts.added for counts in self._counts())

    @property
    def rows_removed(self) -> int:
        """How many rows the commits removed, counted like :attr:`rows_added`; rows of a dropped table do not count."""
        return sum(counts.removed for counts in self._counts())

    @property
    def rows_updated(self) -> int:
        """How many rows UPDATE and MERGE changed in place; other operations update none."""
        return sum(counts.updated for counts in self._counts())

    @property
    def files_rewritten(self) -> int:
        """How many files were replaced by new ones with the same or updated rows, as OPTIMIZE and UPDATE do."""
        return sum(map(rewritten_files, self.commits))

    @property
    def schema_changes(self) -> tuple[SchemaChange, ...]:
        """The differences in columns, keys, checks, layout, comments and tags; an absent table has none of them."""
        return tuple(schema_changes(self.before, self.after))

    @property
    def properties_changed(self) -> Mapping[str, tuple[str | None, str | None]]:
        """The properties that differ, with the value before and after; without those that Delta writes by itself."""
        before, after = self.before.table_properties, self.after.table_properties
        known = {*declarable_properties(self.before), *declarable_properties(self.after)}
        keys = [key for key in sorted(known) if before.get(key) != after.get(key)]
        return MappingProxyType({key: (before.get(key), after.get(key)) for key in keys})

    @property
    def features_raised(self) -> tuple[str, ...]:
        """The table features that clients need after the job and did not need before, sorted."""
        before, after = (supported_features(state.table_properties) for state in (self.before, self.after))
        return tuple(sorted(after - before))

    @property
    @hides_traceback
    def kept_schema(self) -> bool:
        """``True``, for ``assert effect.kept_schema``.

        Raises:
            EffectError: If the schema changed; with each change and each commit.
        """
        changes = [f"  ~ {escaped(str(change))}" for change in self.schema_changes]
        if changes:
            raise self._error("\n".join(["the job should keep the schema, and changed it", *changes]))
        return True

    @hides_traceback
    def only(self, *operations: str) -> bool:
        """Make sure that the job made commits, and that all of them are of these operations.

        Args:
            operations: Such as ``"MERGE"``, in any case.

        Returns:
            ``True``, for ``assert effect.only("MERGE")``.

        Raises:
            EffectError: If there is no commit, or one of another operation; with each commit.
        """
        wanted = {operation.upper() for operation in operations}
        if not self.commits or not {operation.upper() for operation in self.operations} <= wanted:
            expected = f"the job should run only {' and '.join(operations)}"
            raise self._error(expected)
        return True

    @hides_traceback
    def made_no_commit(self) -> bool:
        """Make sure that the job committed nothing.

        Returns:
            ``True``, for ``assert effect.made_no_commit()``.

        Raises:
            EffectError: If there is a commit; with each commit.
        """
        if self.commits:
            expected = "the job should commit nothing"
            raise self._error(expected)
        return True

    @hides_traceback
    def kept_contract(self, model: Table) -> bool:
        """Make sure that the table, as it is now, has no drift from a model.

        Args:
            model: The contract; under its own name, or as the model of another table such as a scratch copy.

        Returns:
            ``True``, for ``assert effect.kept_contract(orders)``.

        Raises:
            EffectError: If the table has drift, or does not exist; with the changes and each commit.
        """
        drift = self.source.drift(model)
        if drift:
            expected = f"the job should keep the contract of {escaped(model.name)}, and did not"
            message = f"{expected}\n{drift}"
            raise self._error(message)
        return True

    def __str__(self) -> str:
        lines = [_commit_line(commit, self._if_readable(commit)) for commit in self.commits]
        made = f"{counted(len(lines), 'commit')}:" if lines else "no commit"
        return "\n".join([f"the table was {self.table_was}; the job made {made}", *lines])

    def _error(self, expected: str) -> EffectError:
        return EffectError(f"{escaped(self.table)}: {expected}\n{self}")

    def _counts(self) -> Iterator[ChangedRows]:
        for commit in self.commits:
            counts = self._in_log(commit)
            yield self.source.compared(commit.version) if counts is None else counts

    def _if_readable(self, commit: Commit) -> ChangedRows | None:
        """Return the counts in the log; a log that is gone by now does not hide the failure."""
        try:
            return self._in_log(commit)
        except DeltaSchemaError:
            return None

    def _in_log(self, commit: Commit) -> ChangedRows | None:
        def file_rows() -> Mapping[str, int]:
            earlier = [other for other in self.commits if other.version < commit.version]
            return rows_by_file([*self.source.commits_before(), *earlier])

        return counts_in_log(commit, file_rows)


def _commit_line(commit: Commit, counts: ChangedRows | None) -> str:
    """Show one commit."""
    rows = _rows_text(counts)
    mode = commit.parameters.get("mode") or commit.parameters.get("outputMode")
    operation = f"{commit.operation or '(no operation)'}{f' ({mode})' if mode else ''}"
    message = f"  [{commit.user_metadata}]" if commit.user_metadata else ""
    return escaped(
        f"  version {commit.version}  {commit.timestamp:%Y-%m-%d %H:%M:%S} UTC  {operation}  {rows}{message}"
    )


def _rows_text(counts: ChangedRows | None) -> str:
    if counts is None:
        return "rows are not counted"
    signs: Iterable[tuple[str, int]] = (("+", counts.added), ("-", counts.removed), ("~", counts.updated))
    return f"{' '.join(f'{sign}{number}' for sign, number in signs if number) or 'no'} rows"


_TABLE = "table"

_NO_PROPERTIES: Mapping[str, str | None] = MappingProxyType({})


def schema_changes(before: TableState, after: TableState) -> Iterator[SchemaChange]:
    """Yield the differences between two states of a table, without those of properties."""
    if before.exists != after.exists:
        sides = [counted(len(state.columns), "column") if state.exists else ABSENT for state in (before, after)]
        yield SchemaChange(path=_TABLE, before=sides[0], after=sides[1])
    if not after.exists:
        return
    old, new = (
        replace(state, name=after.name, schema_exists=True, table_properties=_NO_PROPERTIES)
        for state in (before, after)
    )
    plan = TablePlanner().plan_states([new], CatalogState(tables={old.name: old}))
    for line in (line for action in plan.actions for line in change_lines(action) if line.path != _TABLE):
        older = ABSENT if line.marker == ADD else line.before
        newer = ABSENT if line.marker == DROP else line.after
        yield SchemaChange(path=line.path, before=older, after=newer)


class Observation:
    """Reads a table when a block begins and when it ends; after that it has the attributes of an :class:`Effect`."""

    def __init__(self, catalog: KeepsVersions, table: QualifiedName, drift: Callable[[Table], str]) -> None:
        self._catalog = catalog
        self._table = table
        self._drift = drift
        self._before: TableState | None = None
        self._start: Commit | None = None
        self._table_id = ""
        self._effect: Effect | None = None

    @hides_traceback
    def __enter__(self) -> Self:
        self._start = self._effect = None
        self._before = self._state()
        version = self._catalog.version(self._table)
        if isinstance(version, Diagnostic):
            raise CatalogReadError([version])
        if version is not Absence.ABSENT:
            self._start = next(iter(self._catalog.commits(self._table, first=version)), None)
            self._table_id = self._id(self._before, version)
        return self

    @hides_traceback
    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None and not isinstance(error, Exception):
            return
        try:
            self._effect = self._observed(self._before or self._state())
        except DeltaSchemaError:
            # The error of the block is more important.
            if error is None:
                raise

    @hides_traceback
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._effect is None:
            msg = f"{self._table}: {name} of an effect is known when the block ends; read it after the block"
            raise DeclarationError(msg)
        return getattr(self._effect, name)

    def __repr__(self) -> str:
        return f"effect on {self._table}: {'not known before the block ends' if self._effect is None else self._effect}"

    def _state(self) -> TableState:
        """Return the state of the table, which may not exist."""
        state = self._catalog.read_tables([self._table])
        state.require([self._table])
        return state.tables[self._table]

    def _observed(self, before: TableState) -> Effect:
        after = self._state()
        table_was, commits = self._commits(before, after)
        return Effect(
            table=self._table,
            before=before,
            after=after,
            table_was=table_was,
            commits=commits,
            source=CatalogSource(
                catalog=self._catalog,
                table=self._table,
                start=self._start if table_was == "kept" else None,
                drift=self._drift,
            ),
        )

    def _commits(self, before: TableState, after: TableState) -> tuple[TableFate, tuple[Commit, ...]]:
        """Return what happened to the table as a whole, and the commits since then."""
        if not after.exists:
            return ("dropped" if before.exists else "absent"), ()
        if not before.exists or self._start is None:
            return "created", self._catalog.commits(self._table)
        commits = self._catalog.commits(self._table, first=self._start.version)
        if commits and commits[0].version == self._start.version:
            is_same = commits[0] == self._start
        else:
            # Delta's log cleanup removes the commit of the start, too, and keeps the id of the table.
            is_same = bool(commits) and self._table_id == self._id(after, commits[-1].version) != ""
        if not is_same:
            return "recreated", self._catalog.commits(self._table)
        return "kept", self._since(self._start.version, after.version, commits)

    def _id(self, state: TableState, version: int) -> str:
        """Return the id of the table, from the log if the catalog does not tell it; ``""`` if the log has lost it."""
        if state.table_id:
            return state.table_id
        if isinstance(self._catalog, IdentifiesTables):
            return self._catalog.table_id(self._table)
        try:
            return self._catalog.state_at(self._table, version).table_id
        except CatalogReadError:
            return ""

    def _since(self, start: int, newest: int | None, commits: Sequence[Commit]) -> tuple[Commit, ...]:
        """Return the commits after one version, of which Delta's log cleanup must not have removed any."""
        later = tuple(commit for commit in commits if commit.version > start)
        first = later[0].version if later else (start if newest is None else newest) + 1
        if first > start + 1:
            fact = f"its log does not hold the commits {start + 1} to {first - 1} any more"
            remedy = "set delta.logRetentionDuration to a time that is longer than the job takes"
            raise CatalogReadError([diagnostic_of(UnreadableTable, self._table, fact, remedy=remedy)])
        return later


@dataclass(slots=True, kw_only=True)
class CatalogSource:
    """Reads from a catalog what the commits of an effect do not have."""

    catalog: KeepsVersions
    table: QualifiedName
    start: Commit | None
    drift: Callable[[Table], str]
    _compared: dict[int, ChangedRows] = field(default_factory=dict, init=False)
    _earlier: tuple[Commit, ...] | None = field(default=None, init=False)

    def compared(self, version: int) -> ChangedRows:
        """Return the rows that differ between a version and the one before it; compared once."""
        if version not in self._compared:
            columns = self.catalog.state_at(self.table, version).columns
            before = self.catalog.columns_before(self.table, version) if version else columns
            older = self.catalog.rows(self.table, version=version - 1) if version else ()
            newer = self.catalog.rows(self.table, version=version)
            difference = unmatched_rows(columns, older, newer, names_of_expected=before)
            self._compared[version] = ChangedRows(added=len(difference.unexpected), removed=len(difference.missing))
        return self._compared[version]

    def commits_before(self) -> tuple[Commit, ...]:
        """Return the commits of the table from before the job; read once."""
        if self._earlier is None:
            commits = () if self.start is None else self.catalog.commits(self.table)
            self._earlier = tuple(commit for commit in commits if self.start and commit.version <= self.start.version)
        return self._earlier


_WRITTEN, _COPIED, _DELETED = "numOutputRows", "numCopiedRows", "numDeletedRows"
_ADDED = "numAddedRows"
"""Written by delta-rs, which does not count copied rows here."""

_UPDATED = "numUpdatedRows"
_COPIED_BY_MERGE = "numTargetRowsCopied"
_MERGE = {"added": "numTargetRowsInserted", "removed": "numTargetRowsDeleted", "updated": "numTargetRowsUpdated"}
_MERGE_OPERATION, _UPDATE_OPERATION = "MERGE", "UPDATE"
_UNDERSCORE = re.compile(r"_(\w)")
_ONLY_REMOVE = frozenset({"DELETE", "TRUNCATE"})


class ChangedRows(NamedTuple):
    """The numbers of rows that a commit changes."""

    added: int = 0
    removed: int = 0
    updated: int = 0
    """Rows with other values, of which none counts as added or removed."""


def counts_in_log(commit: Commit, file_rows: Callable[[], Mapping[str, int]]) -> ChangedRows | None:
    """Return the counts of a commit from its log; ``None`` if rows have to be compared.

    The metrics of Delta 4.4.0 and of delta-rs 1.6 have them for writes, MERGE, UPDATE and DELETE; rows that
    an overwrite replaces follow from the rows of the files.
    """
    metrics = _metrics(commit)
    if not commit.changes_rows:
        return ChangedRows()
    if commit.operation == _MERGE_OPERATION and metrics.keys() >= set(_MERGE.values()):
        return ChangedRows(**{count: metrics[metric] for count, metric in _MERGE.items()})
    if commit.operation == _UPDATE_OPERATION and _UPDATED in metrics:
        return ChangedRows(updated=metrics[_UPDATED])
    added = _added_rows(commit)
    if added is None:
        return None
    if _DELETED in metrics or not commit.removed:
        return ChangedRows(added=added, removed=metrics.get(_DELETED, 0))
    growth = _growth(commit, file_rows)
    return None if growth is None else ChangedRows(added=added, removed=added - growth)


def _added_rows(commit: Commit) -> int | None:
    """Return how many rows a commit adds that were not in the table; ``None`` if its log does not have it."""
    if commit.operation in _ONLY_REMOVE or not commit.added:
        return 0
    metrics = _metrics(commit)
    if _WRITTEN in metrics:
        return metrics[_WRITTEN] - metrics.get(_COPIED, 0)
    if _ADDED in metrics:
        return metrics[_ADDED]
    return None if commit.removed else _rows_of_files(commit.added, {})


def rewritten_files(commit: Commit) -> int:
    """Return the number of files whose rows a commit has copied to new files."""
    kept = {file.path for file in commit.added}
    replaced = {file.path for file in commit.removed} - kept
    copies = _copied_rows(commit)
    rewrites = copies or not commit.changes_rows or commit.operation in {_MERGE_OPERATION, _UPDATE_OPERATION}
    has_new_files = bool(kept - {file.path for file in commit.removed})
    return len(replaced) if rewrites and has_new_files else 0


def _copied_rows(commit: Commit) -> int:
    """Return how many rows a commit has copied, if its log says so."""
    metrics = _metrics(commit)
    if _ADDED in metrics and _COPIED not in metrics:
        return (_rows_of_files(commit.added, {}) or metrics[_ADDED]) - metrics[_ADDED]
    return metrics.get(_COPIED, 0) or metrics.get(_COPIED_BY_MERGE, 0)


def _metrics(commit: Commit) -> Mapping[str, int]:
    """Return the metrics by the names of Spark: delta-rs writes ``num_copied_rows`` for ``numCopiedRows``."""
    return {_UNDERSCORE.sub(lambda match: match[1].upper(), name): value for name, value in commit.metrics.items()}


def rows_by_file(commits: Iterable[Commit]) -> dict[str, int]:
    """Return the rows of the files after some commits, by path, where the commits have statistics."""
    rows: dict[str, int] = {}
    for commit in commits:
        for file in commit.removed:
            rows.pop(file.path, None)
        rows.update({file.path: file.rows for file in commit.added if file.rows is not None})
    return rows


def _growth(commit: Commit, file_rows: Callable[[], Mapping[str, int]]) -> int | None:
    """Return by how many rows the table grows; ``None`` if a file has no statistics."""
    known = {} if all(file.rows is not None for file in commit.removed) else file_rows()
    added, removed = _rows_of_files(commit.added, {}), _rows_of_files(commit.removed, known)
    return None if added is None or removed is None else added - removed


def _rows_of_files(files: Iterable[DataFile], known: Mapping[str, int]) -> int | None:
    rows = [known.get(file.path) if file.rows is None else file.rows for file in files]
    return None if None in rows else sum(number for number in rows if number is not None)

"""The effect of a job on a table: its commits, and what they changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.protocol import supported_features
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, EffectError
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, DROP
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.report.text.text import counted
from pytest_delta_schema.rules.aspects.properties import is_declarable
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.test_kit.effects.row_counts import ChangedRows, counts_in_log, rewritten_files, rows_by_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import TableState

TableFate = Literal["kept", "created", "dropped", "recreated", "absent"]
"""What a job did to the table as a whole; ``absent`` if it did not exist before and does not exist after."""


_TABLE = "table"
_NO_PROPERTIES: Mapping[str, str | None] = MappingProxyType({})


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
        keys = [key for key in sorted({*before, *after}) if is_declarable(key) and before.get(key) != after.get(key)]
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
        lines = [_line(commit, self._if_readable(commit)) for commit in self.commits]
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


def schema_changes(before: TableState, after: TableState) -> Iterator[SchemaChange]:
    """Yield the differences between two states of a table, without those of properties.

    Either state may be of a table that does not exist.
    """
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


def _line(commit: Commit, counts: ChangedRows | None) -> str:
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

"""Actions: what a plan does to one table, as values.

None of them can be built empty, so a plan with an action in it always changes something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.diagnostics.redaction import shown_value, without_tokens
from pytest_delta_schema.plan.changes import ForeignKeyAdd, PrimaryKeyAdd
from pytest_delta_schema.plan.column_changes import describe_column
from pytest_delta_schema.plan.kinds import Change, ChangeLine, Risk, require_change
from pytest_delta_schema.plan.table_changes import describe_layout
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import CheckState, KeyState
    from pytest_delta_schema.state.types import ColumnState


_C = TypeVar("_C")


def _no_parents() -> Mapping[QualifiedName, TableState]:
    return MappingProxyType({})


class SchemaMissing:
    """The schema of a declared table is not in the catalog.

    An apply creates it before the table. It never creates a catalog.

    Remedy: Apply the model, or correct the name of its schema.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DD100"


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTable:
    """A declared table is not in the catalog.

    Everything that belongs to the new table has this code, too: its columns, checks, keys, comments, properties and
    tags.

    Remedy: Apply the model, or correct its name. If the table has another name in this environment, map the names
    (``--delta-bind``).

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])

    Args:
        table: Its name.
        columns: In declaration order.
        table_comment: ``""`` for none.
        table_properties: Sorted by key; never a value ``None``, since nothing has to be removed.
        checks: Part of the creation itself, unless the catalog takes them after it only.
        creates_schema: Whether the schema has to be created first.
        keys: The primary and unique keys, after the checks that are not part of the creation; added right after it.
        following: Changes of a new table that are not part of its creation, such as its tags.
        partitioning: The columns by which files are partitioned, in order.
        clustering: The paths by which rows are clustered, in order.
        foreign_keys: Added when all tables exist.
        parents: The tables that the foreign keys reference, as planned; for reports and rules, not part of equality.
    """

    code = "DD101"
    drift = "TableMissing"

    table: QualifiedName
    columns: tuple[ColumnState, ...]
    table_comment: str
    table_properties: Mapping[str, str]
    creates_schema: bool
    keys: tuple[Change, ...] = ()
    checks: tuple[CheckState, ...] = ()
    partitioning: tuple[str, ...] = ()
    clustering: tuple[ColumnPath, ...] = ()
    following: tuple[Change, ...] = ()
    foreign_keys: tuple[ForeignKeyAdd, ...] = ()
    parents: Mapping[QualifiedName, TableState] = field(default_factory=_no_parents, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_change(self, bool(self.columns))

    @property
    def primary_key(self) -> KeyState | None:
        """The primary key, if it has one."""
        return next((change.key for change in self.keys if isinstance(change, PrimaryKeyAdd)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreTable:
    """Restore an older version of a table; never planned, only run when an alignment fails midway."""

    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignTable:
    """Align an existing table with its model.

    Args:
        table: Its name.
        changes: At least one, in the order in which they are executed.
        desired: What the model wants. For reports and rules; like the next two, not part of equality.
        observed: What the catalog holds.
        parents: The tables that new foreign keys reference, as planned.
    """

    table: QualifiedName
    changes: tuple[Change, ...]
    desired: TableState = field(compare=False, repr=False)
    observed: TableState = field(compare=False, repr=False)
    parents: Mapping[QualifiedName, TableState] = field(default_factory=_no_parents, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_change(self, bool(self.changes))

    @property
    def foreign_keys(self) -> tuple[ForeignKeyAdd, ...]:
        """The foreign keys to add, by name."""
        return self.all(ForeignKeyAdd)

    def all(self, kind: type[_C]) -> tuple[_C, ...]:
        """Return the changes of one kind, in their order: ``action.all(ColumnDrop)``."""
        if kind not in map(type, self.changes):
            return ()
        return tuple(change for change in self.changes if isinstance(change, kind))

    def one(self, kind: type[_C]) -> _C | None:
        """Return the change of a kind that occurs once at most, if any: ``action.one(PrimaryKeyAdd)``."""
        return next(iter(self.all(kind)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """Everything that must change, sorted by table name.

    Args:
        create_tables: Tables to create.
        align_tables: Tables to align.
        mismatches: Differences in what contracts match and do not manage: drift that no apply changes. A plan with
            nothing else is empty.
        notes: Remarks; a plan with notes only is empty.
    """

    create_tables: tuple[CreateTable, ...] = ()
    align_tables: tuple[AlignTable, ...] = ()
    mismatches: tuple[CreateTable | AlignTable, ...] = ()
    notes: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def actions(self) -> tuple[CreateTable | AlignTable, ...]:
        """All actions, creations first."""
        return (*self.create_tables, *self.align_tables)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to change."""
        return not self.create_tables and not self.align_tables


_WITHOUT_RISK = (CreateTable, RestoreTable)


def highest_risk(changes: Iterable[Change | CreateTable | RestoreTable]) -> Risk:
    """Return the highest risk in a plan or a statement; creating a table is of the lowest."""
    risks = [change.risk for change in changes if not isinstance(change, _WITHOUT_RISK)]
    return max(risks, default=Risk.METADATA)


def change_lines(action: CreateTable | AlignTable) -> tuple[ChangeLine, ...]:
    """Describe an action, change by change, without tokens."""
    if isinstance(action, CreateTable):
        return tuple(_creation(action))
    return tuple(line for change in action.changes for line in change.lines(action.observed))


def _creation(action: CreateTable) -> Iterator[ChangeLine]:
    if action.creates_schema:
        schema = f"schema {action.table.catalog}.{action.table.schema}"
        yield ChangeLine.of(schema, None, "created")._replace(code=SchemaMissing.code)
    for line in _parts_of_new_table(action):
        yield line._replace(after=without_tokens(line.after), risk=Risk.METADATA, code=CreateTable.code)


def _parts_of_new_table(action: CreateTable) -> Iterator[ChangeLine]:
    plural = "" if len(action.columns) == 1 else "s"
    yield ChangeLine.of("table", None, f"created with {len(action.columns)} column{plural}")
    for column in action.columns:
        yield ChangeLine.of(part_path("columns", column.name), None, describe_column(column))
    for check in action.checks:
        yield ChangeLine.of(part_path("checks", check.name), None, check.expression)
    for change in (*action.keys, *action.foreign_keys):
        yield from change.lines(TableState(name=action.table))
    if action.partitioning or action.clustering:
        yield ChangeLine.of(part_path("layout"), None, describe_layout(action.partitioning, action.clustering))
    if action.table_comment:
        yield ChangeLine.of(part_path("comment"), None, repr(action.table_comment))
    for key, value in action.table_properties.items():
        yield ChangeLine.of(part_path("properties", key), None, repr(shown_value(value)))
    for change in action.following:
        yield from change.lines(TableState(name=action.table))

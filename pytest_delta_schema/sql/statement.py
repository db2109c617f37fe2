"""Statements: their kinds, their SQL, and the changes that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import SetTableProperties, UnsetTableProperties

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import RestoreTable
    from pytest_delta_schema.plan.kinds import Change


class StatementKind(Enum):
    """The kinds of statements; a backend that cannot run a kind may emulate it from the changes."""

    CREATE_SCHEMA = "create schema"
    CREATE_TABLE = "create table"
    CONVERT_TABLE = "convert table"
    REGISTER_TABLE = "register table"
    DROP_FOREIGN_KEY = "drop foreign key"
    DROP_PRIMARY_KEY = "drop primary key"
    DROP_UNIQUE = "drop unique constraint"
    DROP_CHECK = "drop check"
    UNSET_TAGS = "unset tags"
    RENAME_COLUMN = "rename column"
    ADD_COLUMNS = "add columns"
    CHANGE_TYPES = "change types"
    CLUSTER = "cluster"
    REWRITE_LAYOUT = "rewrite layout"
    DROP_COLUMNS = "drop columns"
    MOVE_COLUMN = "move column"
    CHANGE_DEFAULTS = "change defaults"
    TIGHTEN_COLUMNS = "set not null"
    LOOSEN_COLUMNS = "drop not null"
    ADD_CHECK = "add check"
    ADD_PRIMARY_KEY = "add primary key"
    ADD_UNIQUE = "add unique constraint"
    COMMENT_COLUMNS = "comment on columns"
    COMMENT_TABLE = "comment on table"
    SET_PROPERTIES = "set properties"
    RESTORE_TABLE = "restore table"
    UNSET_PROPERTIES = "unset properties"
    SET_TAGS = "set tags"
    ADD_FOREIGN_KEY = "add foreign key"


CATALOG_ONLY = frozenset(
    {
        StatementKind.ADD_PRIMARY_KEY,
        StatementKind.DROP_PRIMARY_KEY,
        StatementKind.ADD_UNIQUE,
        StatementKind.DROP_UNIQUE,
        StatementKind.ADD_FOREIGN_KEY,
        StatementKind.DROP_FOREIGN_KEY,
        StatementKind.SET_TAGS,
        StatementKind.UNSET_TAGS,
    }
)
"""Statements about keys and tags, which only a catalog stores and open-source Delta does not know."""


TOGETHER = frozenset(
    {
        StatementKind.CHANGE_TYPES,
        StatementKind.CHANGE_DEFAULTS,
        StatementKind.COMMENT_COLUMNS,
        StatementKind.LOOSEN_COLUMNS,
        StatementKind.TIGHTEN_COLUMNS,
    }
)
"""Kinds of statements that alter several columns at once."""


class Statement(NamedTuple):
    """One statement: its SQL, and the changes that it makes for backends that cannot run the SQL.

    A named tuple and not a dataclass, because a plan of many tables has thousands of them.

    Args:
        table: The table that it changes.
        kind: What it does.
        sql: The SQL without a semicolon.
        changes: The changes that it makes, in order; none for the creation of a schema.
    """

    table: QualifiedName
    kind: StatementKind
    sql: str
    changes: tuple[Change | CreateTable | RestoreTable, ...] = ()


def set_values(statement: Statement) -> Iterator[tuple[str, str]]:
    """Yield the properties that a statement sets, with those of a table that it creates."""
    for change in statement.changes:
        match change:
            case SetTableProperties():
                yield from change.properties.items()
            case CreateTable():
                yield from change.table_properties.items()


def unset_keys(statement: Statement) -> Iterator[str]:
    """Yield the keys of the properties that a statement removes."""
    for change in statement.changes:
        if isinstance(change, UnsetTableProperties):
            yield from change.keys


Renderer = Callable[["QualifiedName", Sequence[Any]], Iterator[Statement]]
"""Renders all changes of one kind together, because each statement costs a commit."""


def batches(changes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Group changes so that no group has a column and something below it, which Spark refuses (Spark 4.2.0)."""
    by_path = {change.path: change for change in changes}
    return [tuple([by_path[path] for path in group]) for group in batched_paths(by_path)]


def batched_paths(paths: Iterable[ColumnPath]) -> list[list[ColumnPath]]:
    """Group paths like :func:`batches` groups changes: outer ones first, in their order."""
    ordered = list(paths)
    if len(ordered) <= 1 or not any(path.is_nested for path in ordered):
        return [ordered] if ordered else []
    all_paths = set(ordered)
    groups: dict[int, list[ColumnPath]] = {}
    for path in ordered:
        depth = sum(prefix in all_paths for prefix in path.parent.prefixes())
        groups.setdefault(depth, []).append(path)
    return [groups[depth] for depth in sorted(groups)]

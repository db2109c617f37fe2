"""Statements: their kinds, their SQL, and the changes that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import CreateTable, RestoreTable
    from pytest_delta_schema.plan.changes import Change


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


Renderer = Callable[["QualifiedName", Sequence[Any]], Iterator[Statement]]
"""Renders all changes of one kind together, because each statement costs a commit."""

Renderers = Mapping[type, Renderer]
"""The renderers of one aspect, by the kind of change."""

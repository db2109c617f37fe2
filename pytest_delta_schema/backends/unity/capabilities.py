"""The capabilities of the Unity Catalog backend, whose statements run in Spark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.conversion_refusal import without_files
from pytest_delta_schema.backends.spark.newer_tables import refused_on_tables
from pytest_delta_schema.backends.spark.statements.emulation import BY_COMMIT, BY_PROPERTY, on_delta
from pytest_delta_schema.delta.known_properties import is_databricks_only
from pytest_delta_schema.delta.protocol import commits_are_in_catalog
from pytest_delta_schema.execute.protocols.catalog import Capabilities, Refusal
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import CheckAdd, SetTableProperties
from pytest_delta_schema.sql.aspects.checks import check_properties
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.state.states import CheckState
from pytest_delta_schema.state.storable_entry import PROPERTY_LIMIT, long_properties

if TYPE_CHECKING:
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import TableState

_NAME = re.compile(r"[A-Za-z0-9_@-]{1,255}")
_PARTS = ("catalog", "schema", "table")
_CREATES = {StatementKind.CREATE_SCHEMA: ("schema",), StatementKind.CREATE_TABLE: ("table",)}

BY_TRANSACTION = BY_COMMIT | {StatementKind.RENAME_COLUMN}
"""The connector refuses RENAME COLUMN and SET NOT NULL (Unity Catalog 0.6); transactions do both."""


def without_long_properties(statement: Statement, observed: TableState | None) -> Refusal | None:
    """Refuse properties of managed tables that the server cannot store, since Delta repeats the failing commit.

    Unity Catalog 0.6.0 answers such a commit with 500, and Delta's client tries it again for minutes. New tables are
    managed, because they are created without a location.
    """
    if observed is not None and not commits_are_in_catalog(observed.table_properties):
        return None
    long = long_properties(_properties(statement))
    if not long:
        return None
    return Refusal(
        f"{', '.join(long)}: the server stores keys and values of managed tables up to {PROPERTY_LIMIT} characters",
        "shorten what is too long",
    )


def without_refused_names(statement: Statement) -> Refusal | None:
    """Refuse the creation of tables and schemas whose names the server does not accept (Unity Catalog 0.6.0)."""
    created = _CREATES.get(statement.kind, ())
    names = [name for part, name in zip(_PARTS, statement.table.written, strict=True) if part in created]
    odd = [name for name in names if _NAME.fullmatch(name) is None]
    if not odd:
        return None
    return Refusal(
        f"the server takes no name like {', '.join(odd)}: names have letters without accents, digits, `_`, `@` and `-`,"
        " and at most 255 characters",
        "declare it under another name",
    )


def _refuses(statement: Statement) -> Refusal | None:
    return without_files(statement) or without_refused_names(statement)


def _properties(statement: Statement) -> dict[str, str]:
    """Return the properties that a statement sets, with those of checks and of what is emulated."""
    properties: dict[str, str] = {}
    for change in (change for part in on_delta(statement, is_databricks_only) for change in part.changes):
        if isinstance(change, SetTableProperties):
            properties |= change.properties
        elif isinstance(change, CheckAdd):
            properties |= check_properties([CheckState(change.name, change.expression)])
        elif isinstance(change, CreateTable):
            properties |= {**change.table_properties, **check_properties(change.checks)}
    return properties


_on_other_clients = refused_on_tables(is_databricks_only)


def _refuses_on(statement: Statement, observed: TableState | None) -> Refusal | None:
    return without_long_properties(statement, observed) or _on_other_clients(statement, observed)


CAPABILITIES = Capabilities(
    emulates=BY_TRANSACTION | BY_PROPERTY,
    emulates_property=is_databricks_only,
    refuses=_refuses,
    refuses_for_table=_refuses_on,
    refuses_clones=Refusal(
        "the server refuses SHALLOW CLONE into its catalogs (Unity Catalog 0.6.0)",
        "create the table with make_delta_table, and insert its rows",
    ),
)
"""The Unity Catalog backend."""

"""Queries of the information schema of Unity Catalog on Databricks, each for a whole schema.

Source: Databricks' documentation of the relations. They show only what the principal may see, so a missing row
does not prove that there is no table.
"""

from __future__ import annotations

from pytest_delta_schema.diagnostics.escaping import identifier
from pytest_delta_schema.sql.quoting import literal

_SAME_CONSTRAINT = " AND ".join(f"c.constraint_{part} = k.constraint_{part}" for part in ("catalog", "schema", "name"))
_ITS_PARENT = " AND ".join(
    f"c.unique_constraint_{part} = k.constraint_{part}" for part in ("catalog", "schema", "name")
)


RUNTIME = "SELECT current_version().dbr_version AS runtime"
"""The query of the runtime version, such as ``16.4.x-scala2.12``; SQL warehouses have none and are always current."""


def schemata(catalog: str, schema: str) -> str:
    """Return the query whether a schema exists."""
    return _select(catalog, "schemata", ("schema_name",), f"schema_name = {literal(schema)}")


def select_tables(catalog: str, schema: str) -> str:
    """Return the query of tables and views: name, kind, format, comment."""
    columns = ("table_name", "table_type", "data_source_format", "comment")
    return _select(catalog, "tables", columns, f"table_schema = {literal(schema)}")


def select_columns(catalog: str, schema: str) -> str:
    """Return the query of columns: table, name, position, nullability, type, default, comment."""
    columns = (
        "table_name",
        "column_name",
        "ordinal_position",
        "is_nullable",
        "full_data_type",
        "column_default",
        "comment",
    )
    return _select(catalog, "columns", columns, f"table_schema = {literal(schema)}")


def keys_in(catalog: str, schema: str) -> str:
    """Return the query of key columns: table, name, kind, column, position, and position in the parent's key."""
    chosen = "k.table_name, k.constraint_name, c.constraint_type, k.column_name, k.ordinal_position"
    return (
        f"SELECT {chosen}, k.position_in_unique_constraint"  # noqa: S608 - quoted where it is made
        f" FROM {_relation(catalog, 'table_constraints')} AS c"
        f" JOIN {_relation(catalog, 'key_column_usage')} AS k ON {_SAME_CONSTRAINT}"
        f" WHERE c.table_schema = {literal(schema)}"
    )


def parents_in(catalog: str, schema: str) -> str:
    """Return the query of the parents of foreign keys: name of the key; table, column and position of the parent."""
    return (
        "SELECT c.constraint_name, k.table_catalog, k.table_schema, k.table_name, k.column_name, k.ordinal_position"  # noqa: S608 - as above
        f" FROM {_relation(catalog, 'referential_constraints')} AS c"
        f" JOIN {_relation(catalog, 'key_column_usage')} AS k ON {_ITS_PARENT}"
        f" WHERE c.constraint_schema = {literal(schema)}"
    )


def table_tags_in(catalog: str, schema: str) -> str:
    """Return the query of the tags of tables: table, key, value."""
    return _select(catalog, "table_tags", ("table_name", "tag_name", "tag_value"), f"schema_name = {literal(schema)}")


def column_tags_in(catalog: str, schema: str) -> str:
    """Return the query of the tags of columns: table, column, key, value."""
    columns = ("table_name", "column_name", "tag_name", "tag_value")
    return _select(catalog, "column_tags", columns, f"schema_name = {literal(schema)}")


def _select(catalog: str, relation: str, columns: tuple[str, ...], condition: str) -> str:
    return f"SELECT {', '.join(columns)} FROM {_relation(catalog, relation)} WHERE {condition}"  # noqa: S608 - as above


def _relation(catalog: str, name: str) -> str:
    return f"{identifier(catalog)}.information_schema.{name}"

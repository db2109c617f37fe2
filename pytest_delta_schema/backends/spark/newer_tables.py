"""Tables that newer clients have written: Spark refuses to open some of them, and to change others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.problems import problem
from pytest_delta_schema.backends.spark.statements.emulation import without_stored_keys
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.diagnostics.faults import UnsupportedTable
from pytest_delta_schema.execute.protocols.catalog import Refusal
from pytest_delta_schema.state.type_traversal import unstorable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.sql.statement import Statement
    from pytest_delta_schema.state.states import TableState

_REFUSALS = (
    "DELTA_GEOSPATIAL_NOT_SUPPORTED",
    "DELTA_INVALID_PROTOCOL_VERSION",
    "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
    "EXPRESSION_DECODING_FAILED",
    "INVALID_JSON_DATA_TYPE",
    "UNSUPPORTED_TIME_TYPE",
)
"""The conditions of Delta 4.4.0 and Spark 4.2.0 for types, features and protocol versions that they do not know."""


def refused_by_spark(name: QualifiedName, cause: str) -> Diagnostic | None:
    """Return the problem of a table that needs a newer Spark or Delta; ``None`` for other problems."""
    if not any(f"[{condition}" in cause for condition in _REFUSALS):
        return None
    remedy = "read it with a newer pair of pyspark and delta-spark, or with the unity backend, which reads the log"
    return problem(UnsupportedTable, name, f"is unreadable, because Spark refuses to open it ({cause})", remedy)


def without_unknown_types(_: Statement, observed: TableState | None) -> Refusal | None:
    """Refuse every statement on a table with a type that Delta does not store.

    Delta 4.4.0 checks all columns whenever the metadata of a table changes (``DELTA_UNSUPPORTED_DATA_TYPES``).
    """
    columns = () if observed is None else observed.columns
    unknown = [
        f"{path} {name}" for column in columns for path, name in unstorable(column.data_type, ColumnPath(column.name))
    ]
    if not unknown:
        return None
    reason = f"Delta refuses to change a table with columns of types that it does not know ({', '.join(unknown)})"
    return Refusal(reason, "change the table with a client that knows them")


def refused_on_tables(
    emulates_property: Callable[[str], bool],
) -> Callable[[Statement, TableState | None], Refusal | None]:
    """Return a function that refuses statements on properties and types which only other clients know."""
    stored_keys = without_stored_keys(emulates_property)

    def refuses_for_table(statement: Statement, observed: TableState | None) -> Refusal | None:
        return stored_keys(statement, observed) or without_unknown_types(statement, observed)

    return refuses_for_table

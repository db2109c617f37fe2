"""Change metadata that open-source Delta has no SQL for, in one transaction that checks the rows first.

Delta itself checks no rows here (Delta 4.4.0: a NULL in a column that becomes NOT NULL is read back as 0), so the data
checks run in the snapshot that the transaction has read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.delta_compat import Transaction, labelled, operation
from pytest_delta_schema.delta.names.column_path import ELEMENT, KEY, TABLE, VALUE, ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.delta.reserved_properties import CHECK_PREFIX
from pytest_delta_schema.diagnostics.errors import StatementError, UnsafePlanError
from pytest_delta_schema.execute.preflight import violations_of
from pytest_delta_schema.execute.protocols.catalog import RowCounts
from pytest_delta_schema.plan.data_checks import NotNull

if TYPE_CHECKING:
    from pytest_delta_schema.backends.spark.compat.gateway import Gateway
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.state.states import CheckState


Count = Callable[[Sequence["DataCheck"], int], "RowCounts"]
"""Counts the rows that violate data checks, in a given version."""


def set_not_null(gateway: Gateway, name: QualifiedName, paths: Sequence[ColumnPath], count: Count) -> None:
    """Make columns and fields of structs NOT NULL, if no row holds NULL in them.

    Raises:
        UnsafePlanError: If rows hold NULL in them; nothing was changed.
    """
    data_checks = [NotNull(path) for path in paths]

    def forbid(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        _forbid_null(schema, frozenset(paths))
        metadata["schemaString"] = json.dumps(schema)

    _change(gateway, name, partial(count, data_checks), data_checks, forbid, labelled(gateway, "SET NOT NULL"))


def add_check_in_transaction(gateway: Gateway, name: QualifiedName, check: CheckState, count: Count) -> None:
    """Add a CHECK constraint with exactly the given text, if every row meets it.

    Delta's ADD CONSTRAINT joins the tokens of the text with spaces: it refuses ``a::int`` and lambdas, and stores
    ``'it''s'`` as ``'it' 's'``, which means something else (Delta 4.4.0).

    The constraint is stored under its lower-case name.

    Raises:
        UnsafePlanError: If rows violate it; nothing was changed.
        StatementError: If the table has a constraint of that name.
    """
    key = f"{CHECK_PREFIX}{folded(check.name)}"

    def put(metadata: dict[str, Any]) -> None:
        if key in NameSet(metadata["configuration"]):
            msg = f"{name}: there is a check {check.name} already; read the table again and make a new plan"
            raise StatementError(msg, condition="DELTA_CONSTRAINT_ALREADY_EXISTS")
        metadata["configuration"][key] = check.expression

    label = operation(gateway, "AddConstraint", folded(check.name), check.expression)
    _change(gateway, name, partial(count, [check]), [check], put, label)


def rename_columns_in_transaction(gateway: Gateway, name: QualifiedName, names: Mapping[ColumnPath, str]) -> None:
    """Rename columns and fields of a table with column mapping, where its catalog refuses RENAME COLUMN.

    The new names are by the old paths.
    """

    def rename(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        _rename(schema, names)
        metadata["schemaString"] = json.dumps(schema)
        metadata["partitionColumns"] = [
            names.get(ColumnPath(column), column) for column in metadata["partitionColumns"]
        ]

    nothing = RowCounts(rows=None)
    _change(gateway, name, lambda _: nothing, (), rename, labelled(gateway, "RENAME COLUMN"))


def _change(  # noqa: PLR0913, PLR0917 - the parts of one transaction
    gateway: Gateway,
    name: QualifiedName,
    count: Callable[[int], RowCounts],
    data_checks: Sequence[DataCheck],
    edit: Callable[[dict[str, Any]], None],
    label: Any,
) -> None:
    """Edit a table's metadata if its rows pass the data checks.

    The whole table counts as read, so the commit fails if rows are appended in the meantime.
    """
    transaction = Transaction(gateway, name)
    violations = tuple(violations_of(name, data_checks, count(transaction.version)))
    if violations:
        raise UnsafePlanError(violations)
    action = transaction.metadata()
    edit(action["metaData"])
    transaction.update_metadata(action)
    transaction.commit(label)


def _forbid_null(struct: dict[str, Any], paths: frozenset[ColumnPath], above: ColumnPath = TABLE) -> None:
    for field in struct["fields"]:
        here = above.child(field["name"])
        if here in paths:
            field["nullable"] = False
        if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
            _forbid_null(field["type"], paths, here)


def _rename(data_type: Any, names: Mapping[ColumnPath, str], above: ColumnPath = TABLE) -> None:
    """Rename fields in a type of Delta's JSON, at any depth, and keep everything else about them."""
    if not isinstance(data_type, dict):
        return
    for field in data_type.get("fields", ()):
        here = above.child(field["name"])
        field["name"] = names.get(here, field["name"])
        _rename(field["type"], names, here)
    for part, step in (("elementType", ELEMENT), ("keyType", KEY), ("valueType", VALUE)):
        _rename(data_type.get(part), names, above.child(step))

"""The checked metadata transaction: what open-source Delta cannot say in SQL, done in one commit of its own.

Delta checks nothing on this way (run on the released jars: NOT NULL over a NULL makes the row read back as 0), so the
checks are made here, in the snapshot that the transaction has read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.catalogs.spark.scala import action_of, commit, operation, relabelled
from pytest_delta_schema.errors import BackendFailure, UnsafePlanError
from pytest_delta_schema.execute.preflight import violations_of
from pytest_delta_schema.plan.demands import NotNull
from pytest_delta_schema.state.delta_log import CHECK_PREFIX

if TYPE_CHECKING:
    from pytest_delta_schema.catalogs.spark.bridge import Bridge
    from pytest_delta_schema.execute.ddl import RowCounts
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.demands import Demand
    from pytest_delta_schema.state.states import CheckState


Count = Callable[[Sequence["Demand"], int], "RowCounts"]
"""Counts the rows that break demands, at a given version."""


def set_not_null(bridge: Bridge, name: QualifiedName, paths: Sequence[Sequence[str]], count: Count) -> None:
    """Forbid NULL in columns and in fields of structs, if no row has one.

    Args:
        bridge: The session.
        name: The table.
        paths: Which: a column and the fields below it, without regard to case.
        count: Asks the rows.

    Raises:
        UnsafePlanError: If rows are NULL in them; nothing was changed.
    """
    folded = {tuple(part.lower() for part in path) for path in paths}
    demands = [NotNull(tuple(path)) for path in paths]

    def forbid(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        _forbid_null(schema, folded)
        metadata["schemaString"] = json.dumps(schema)

    _change(bridge, name, partial(count, demands), demands, forbid, relabelled(bridge, "SET NOT NULL"))


def add_check(bridge: Bridge, name: QualifiedName, check: CheckState, count: Count) -> None:
    """Add a CHECK constraint with its text as it was written, if every row meets it.

    Delta's own command joins the tokens of its text by spaces: ``a::int`` and lambdas are refused then, and ``'it''s'``
    is stored as ``'it' 's'``, which means something else (run on the released jars).

    Args:
        bridge: The session.
        name: The table.
        check: The constraint; it is stored under its name in lower case.
        count: Asks the rows.

    Raises:
        UnsafePlanError: If rows break it; nothing was changed.
        BackendFailure: If the table has a constraint of that name.
    """
    key = f"{CHECK_PREFIX}{check.name.lower()}"

    def put(metadata: dict[str, Any]) -> None:
        if key in {known.lower() for known in metadata["configuration"]}:
            msg = f"{name}: there is a check {check.name} already; read the table again and make a new plan"
            raise BackendFailure(msg, condition="DELTA_CONSTRAINT_ALREADY_EXISTS")
        metadata["configuration"][key] = check.expression

    label = operation(bridge, "AddConstraint", check.name.lower(), check.expression)
    _change(bridge, name, partial(count, [check]), [check], put, label)


def _change(  # noqa: PLR0913, PLR0917 - the parts of one transaction
    bridge: Bridge,
    name: QualifiedName,
    count: Callable[[int], RowCounts],
    demands: Sequence[Demand],
    edit: Callable[[dict[str, Any]], None],
    label: Any,
) -> None:
    """Edit a table's metadata if its rows allow it.

    The whole table counts as read, so a row that is appended meanwhile makes the commit fail instead of slipping in.
    """
    transaction = bridge.load(name).startTransactionWithInitialSnapshot()
    violations = tuple(violations_of(name, demands, count(transaction.snapshot().version())))
    if violations:
        raise UnsafePlanError(violations)
    action = json.loads(transaction.metadata().json())
    edit(action["metaData"])
    transaction.updateMetadata(action_of(bridge, action), False)  # noqa: FBT003 - Java has no names for arguments
    commit(bridge, transaction, (), label)


def _forbid_null(struct: dict[str, Any], paths: set[tuple[str, ...]], above: tuple[str, ...] = ()) -> None:
    for field in struct["fields"]:
        here = (*above, field["name"].lower())
        if here in paths:
            field["nullable"] = False
        if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
            _forbid_null(field["type"], paths, here)

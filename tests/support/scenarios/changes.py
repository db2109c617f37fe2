"""Comments, properties, order and case, and columns that go."""

from __future__ import annotations

from support.scenarios.parts import DROP, ID, MAPPED, columns
from support.scenarios.scenario import Scenario
from support.tables import column

CHANGES = (
    Scenario(
        name="comments cleared",
        before=columns(column(comment="c"), comment="t"),
        after=columns(column()),
        plan=("~ columns.id.comment: 'c' -> ''", "~ comment: 't' -> ''"),
    ),
    Scenario(
        name="comments cleared and created empty are one",
        before=columns(column(comment="")),
        after=columns(column(comment=None), comment=None),
        plan=(),
    ),
    Scenario(
        name="case of a name differs",
        before=columns(column("OrderId")),
        after=columns(column("orderid", comment="c")),
        plan=("~ columns.OrderId.comment: '' -> 'c'",),
    ),
    Scenario(
        name="order of columns differs",
        before=columns(column("a"), column("b")),
        after=columns(column("b"), column("a")),
        plan=(),
    ),
    Scenario(
        name="properties set, changed and unset",
        before=columns(column(), table_properties={"a": "1", "b": "1", "Case": "x", "kept": "1"}),
        after=columns(column(), table_properties={"a": "2", "b": None, "case": "y", "c": True}),
        plan=(
            "~ properties.a: '1' -> '2'",
            "+ properties.c: (absent) -> 'true'",
            "+ properties.case: (absent) -> 'y'",
            "- properties.b: '1' -> (absent)",
        ),
    ),
    Scenario(
        name="delta's property in another spelling",
        before=columns(column(), table_properties={"delta.appendOnly": "TRUE"}),
        after=columns(column(), table_properties={"DELTA.APPENDONLY": True}),
        plan=(),
    ),
    Scenario(
        name="delta's property changed and another unset",
        before=columns(
            column(),
            table_properties={"delta.appendOnly": "true", "delta.logRetentionDuration": "interval 7 days"},
        ),
        after=columns(column(), table_properties={"delta.appendonly": "false", "delta.LOGRETENTIONDURATION": None}),
        plan=(
            "~ properties.delta.appendOnly: 'true' -> 'false'",
            "- properties.delta.logRetentionDuration: 'interval 7 days' -> (absent)",
        ),
    ),
    Scenario(
        name="dropped with consent",
        before=columns(ID, column("legacy"), table_properties=MAPPED),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan=("- columns.legacy: bigint -> (not in the model)",),
    ),
    Scenario(
        name="dropped with consent, column mapping on the way",
        before=columns(ID, column("legacy")),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan=(
            "+ properties.delta.columnMapping.mode: (absent) -> 'name'",
            "- columns.legacy: bigint -> (not in the model)",
        ),
    ),
    Scenario(
        name="drop without consent",
        before=columns(ID, column("legacy"), table_properties=MAPPED),
        after=columns(ID, comment="New"),
        rows=({"id": 1, "legacy": 5},),
        plan=("- columns.legacy: bigint -> (not in the model)", "~ comment: '' -> 'New'"),
        refused=("DS206",),
    ),
)

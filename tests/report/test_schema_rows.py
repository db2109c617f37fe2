"""Two schemas side by side: what stands in one row, in which order, and what differs."""

from __future__ import annotations

from pytest_delta_schema.report.schema_rows import schema_rows
from support.snapshots import TextSnapshot


def column(name, data_type="string", **others):
    return {"name": name, "type": data_type, **others}


def struct(*fields):
    return {"type": "struct", "fields": list(fields)}


def table(*columns, **others):
    return {"version": 1, "name": "dev.silver.orders", "columns": list(columns), **others}


ADDRESS = struct(column("x"))
ITEMS = {"type": "array", "element": ADDRESS, "contains_null": False}
PRICES = {"type": "map", "key": "string", "value": ADDRESS}
PLAIN = {"type": "map", "key": "string", "value": "int", "value_contains_null": False}
SIDES = table(column("a", struct(column("x"))), column("b"))
OTHER_SIDES = table(column("a", struct(column("y"), column("x", "int"))), column("b"))
DEEP = table(column("a", struct(column("x", struct(column("y"))))))
ONE = table(column("a"), comment="Orders")
ATTRIBUTES = table(
    column("a", default="0", comment="The comment"),
    column("b", "date", generated_as="cast(c as date)"),
    column("c", "bigint", identity={"start": 1, "step": 2, "always": True}),
    tags={"c": {"pii": None, "team": "core"}, "": {"team": "shop"}},
    deprecated={"A": {"since": "2026-01-31", "use": "b", "sunset": "2026-07-31"}, "": {"since": "2026-02-01"}},
)
PARTS = table(
    comment="Orders",
    primary_key={"name": "pk", "columns": ["a", "b"], "rely": True},
    unique=[{"name": "u", "columns": ["a"]}],
    checks=[{"name": "positive", "expression": "a > 0"}],
    foreign_keys=[{"name": "fk", "columns": ["a"], "parent": "dev.silver.a", "parent_columns": ["id"]}],
    clustered_by=["a"],
    properties={"delta.appendOnly": "true"},
)
CHECKS = [table(checks=[{"name": "c", "expression": text}]) for text in ("a>0", "a > 0")]
EXTRA = table(column("old", "int"), column("note"), column("ID", "int"))
SCHEMAS = {
    "columns are matched without case, and extra ones come last": (
        table(column("id", "bigint", is_nullable=False), column("Note")),
        EXTRA,
        ["columns.id", "columns.old"],
    ),
    "fields stand below what they are inside of, even if one side lacks them": (
        SIDES,
        OTHER_SIDES,
        ["columns.a.x.type", "columns.a.y"],
    ),
    "arrays and maps of structs have rows for their parts": (
        table(column("items", ITEMS), column("prices", PRICES), column("plain", PLAIN)),
        None,
        [],
    ),
    "a column has a line for each of its attributes": (ATTRIBUTES, None, []),
    "constraints, layout, comment and properties have rows": (PARTS, None, []),
    "a property that the model does not name is shown only if the plan changes it": (
        table(),
        table(properties={"a": "1", "b": "2"}),
        ["properties.b"],
    ),
    "nothing differs that the plan does not change": (*CHECKS, []),
    "all of a missing column differs": (DEEP, table(column("b")), ["columns.a"]),
    "nothing differs if no catalog was read": (ONE, None, ["table"]),
    "a state without a model is shown as it is": (None, table(column("a")), []),
}


def test_two_schemas_side_by_side(snapshot):
    lines = []
    for name, sides in SCHEMAS.items():
        lines.append(f"==== {name}")
        for row in schema_rows(*sides):
            mark = "~" if row.differs else " "
            declared, observed = "; ".join(row.declared) or "-", "; ".join(row.observed) or "-"
            lines.append(f"{mark} {row.group}: {'  ' * row.depth}{row.label} | {declared} | {observed}")

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)

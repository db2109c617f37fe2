"""Drift by other tools: every change is named by its path, and nothing else is."""

from __future__ import annotations

from collections import defaultdict

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Orchestrator, Unique
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.testing.scenario import field, struct
from support.tables import NAME, TEXT, column, table

pytestmark = pytest.mark.spark

INT = spark.IntegerType()


def parents():
    return table(column(is_nullable=False), name="dev.silver.parents", primary_key=["id"])


def model():
    return table(
        column(is_nullable=False, comment="Key"),
        column("parent"),
        column("amount", spark.DecimalType(9, 2), comment="Money"),
        column("small", INT),
        column("strict", is_nullable=False),
        column("dated", spark.DateType()),
        column("text", TEXT, comment="Text"),
        column("code", spark.VarcharType(5)),
        column("legacy"),
        column("old"),
        column("given", INT, default=1),
        column("made", INT, generated_as="given + 1"),
        Column(
            "s",
            struct(
                field("x", INT, nullable=False),
                field("y", TEXT, comment="Why"),
                field("z"),
                field("g", struct(field("w", INT))),
            ),
        ),
        Column("l", spark.ArrayType(struct(field("p", INT), field("q", TEXT), field("r")))),
        Column("m", spark.MapType(INT, struct(field("u", INT), field("v")))),
        Column("k", spark.MapType(INT, INT)),
        comment="A table",
        table_properties={
            "delta.columnMapping.mode": "name",
            "delta.enableTypeWidening": "true",
            "delta.feature.timestampNtz": "supported",
            "delta.appendOnly": "false",
            "team": "core",
            "tier": "1",
        },
        primary_key=["id"],
        unique=[Unique(["code", "dated"], name="Coded")],
        clustered_by=["id", "s.g.w"],
        checks=[Check("positive", "small > 0"), Check("short", "length(text) < 9"), Check("kept", "legacy > 0")],
        foreign_keys=[ForeignKey(["parent"], parents())],
        name=str(NAME),
    )


ALTER = f"ALTER TABLE {NAME}"
NOTHING: list[str] = []
MUTATIONS = [
    (f"{ALTER} ADD COLUMNS (extra INT)", ["columns.extra"]),
    (f"{ALTER} ADD COLUMNS (first INT FIRST)", ["columns.first"]),
    (f"{ALTER} ADD COLUMNS (s.more INT)", ["columns.s.more"]),
    (f"{ALTER} ADD COLUMNS (s.g.more INT)", ["columns.s.g.more"]),
    (f"{ALTER} ADD COLUMNS (l.element.more INT)", ["columns.l.element.more"]),
    (f"{ALTER} ADD COLUMNS (m.value.more INT)", ["columns.m.value.more"]),
    (f"{ALTER} ADD COLUMNS (deep STRUCT<a: INT, b: ARRAY<INT>>)", ["columns.deep"]),
    (f"{ALTER} DROP COLUMNS (s.z)", ["columns.s.z"]),
    (f"{ALTER} DROP COLUMNS (l.element.r)", ["columns.l.element.r"]),
    (f"{ALTER} DROP COLUMNS (m.value.v)", ["columns.m.value.v"]),
    (f"{ALTER} RENAME COLUMN old TO renamed", ["columns.old", "columns.renamed"]),
    (f"{ALTER} RENAME COLUMN l.element.q TO qq", ["columns.l.element.q", "columns.l.element.qq"]),
    (f"{ALTER} ALTER COLUMN amount TYPE DECIMAL(12,2)", ["columns.amount"]),
    (f"{ALTER} ALTER COLUMN s.g.w TYPE BIGINT", ["columns.s.g.w"]),
    (f"{ALTER} ALTER COLUMN l.element.p TYPE BIGINT", ["columns.l.element.p"]),
    (f"{ALTER} ALTER COLUMN m.value.u TYPE BIGINT", ["columns.m.value.u"]),
    (f"{ALTER} ALTER COLUMN k.key TYPE BIGINT", ["columns.k.key"]),
    (f"{ALTER} ALTER COLUMN k.value TYPE DOUBLE", ["columns.k.value"]),
    (f"{ALTER} ALTER COLUMN dated TYPE TIMESTAMP_NTZ", ["columns.dated"]),
    (f"{ALTER} ALTER COLUMN code TYPE VARCHAR(9)", ["columns.code"]),
    (f"{ALTER} ALTER COLUMN strict DROP NOT NULL", ["columns.strict"]),
    (f"{ALTER} ALTER COLUMN s.x DROP NOT NULL", ["columns.s.x"]),
    (f"{ALTER} ALTER COLUMN id COMMENT 'Another'", ["columns.id.comment"]),
    (f"{ALTER} ALTER COLUMN amount COMMENT ''", ["columns.amount.comment"]),
    (f"{ALTER} ALTER COLUMN parent COMMENT 'New'", ["columns.parent.comment"]),
    (f"{ALTER} ALTER COLUMN s.y COMMENT 'Because'", ["columns.s.y.comment"]),
    (f"{ALTER} ALTER COLUMN l.element.p COMMENT 'Price'", ["columns.l.element.p.comment"]),
    (f"{ALTER} ALTER COLUMN m.value.u COMMENT 'Unit'", ["columns.m.value.u.comment"]),
    (f"{ALTER} ALTER COLUMN given SET DEFAULT 2", ["columns.given.default"]),
    (f"{ALTER} ALTER COLUMN given DROP DEFAULT", ["columns.given.default"]),
    (f"{ALTER} ALTER COLUMN parent SET DEFAULT 1", ["columns.parent.default"]),
    (f"{ALTER} ALTER COLUMN made SET DEFAULT 7", ["columns.made.default"]),
    (f"{ALTER} ALTER COLUMN s.g.w SET DEFAULT 7", ["columns.s.g.w.default"]),
    (f"{ALTER} RENAME COLUMN made TO made_up", ["columns.made", "columns.made.default", "columns.made_up"]),
    (f"{ALTER} CLUSTER BY (dated, id)", ["layout"]),
    (f"{ALTER} CLUSTER BY NONE", ["layout"]),
    (f"{ALTER} CLUSTER BY (id, s.g.w)", ["layout"]),
    (f"COMMENT ON TABLE {NAME} IS 'Another'", ["comment"]),
    (f"{ALTER} SET TBLPROPERTIES ('team' = 'theirs')", ["properties.team"]),
    (f"{ALTER} UNSET TBLPROPERTIES ('tier')", ["properties.tier"]),
    (f"{ALTER} SET TBLPROPERTIES ('delta.appendOnly' = 'true')", ["properties.delta.appendOnly"]),
    (f"{ALTER} ADD CONSTRAINT added CHECK (amount > -1)", ["checks.added"]),
    (f"{ALTER} ADD CONSTRAINT `odd name` CHECK (s.g.w IS NULL OR text <> 'it''s')", ["checks.odd name"]),
    (f"{ALTER} DROP CONSTRAINT short", ["checks.short"]),
    (f"{ALTER} DROP CONSTRAINT kept", ["checks.kept"]),
    (f"{ALTER} ADD CONSTRAINT kept CHECK (legacy > 1)", ["checks.kept"]),
    (f"{ALTER} UNSET TBLPROPERTIES ('pytest_delta_schema.primaryKey')", ["primary_key"]),
    (f"{ALTER} UNSET TBLPROPERTIES ('pytest_delta_schema.unique.coded')", ["unique.Coded"]),
    (
        f"{ALTER} UNSET TBLPROPERTIES ('pytest_delta_schema.foreignKey.fk_dev_silver_orders__parent')",
        ["foreign_keys.fk_dev_silver_orders__parent"],
    ),
    (f"{ALTER} ALTER COLUMN text COMMENT 'Text'", NOTHING),
    (f"{ALTER} ALTER COLUMN small FIRST", NOTHING),
    (f"{ALTER} ALTER COLUMN s.y FIRST", NOTHING),
    (f"{ALTER} SET TBLPROPERTIES ('nobody.asked' = 'x')", NOTHING),
    (f"{ALTER} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')", NOTHING),
    (f"{ALTER} SET TBLPROPERTIES ('DELTA.enableTypeWidening' = 'TRUE')", NOTHING),
    (f"{ALTER} UNSET TBLPROPERTIES ('not.there')", NOTHING),
    (f"{ALTER} DROP CONSTRAINT IF EXISTS nowhere", NOTHING),
    (f"OPTIMIZE {NAME}", NOTHING),
]


@pytest.fixture
def drift(local):
    Orchestrator.over(local).sync_tables([parents(), model()])

    def lines():
        plan = TablePlanner().plan([model()], local.snapshot([model()]))
        detected = defaultdict(list)
        for action in plan.actions:
            for line in change_lines(action):
                detected[line.path].append(str(line))
        return dict(detected)

    return lines


def test_every_mutation_is_named_and_nothing_else(local, drift):
    before = drift()
    assert before == {}

    detected, expected = {}, {}
    for sql, paths in MUTATIONS:
        local._session.sql(sql)
        after = drift()
        changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
        detected[sql], expected[sql] = changed, sorted(paths)
        before = after

    assert detected == expected
    assert local.left_to_spark == set()
    assert len(expected) >= 45

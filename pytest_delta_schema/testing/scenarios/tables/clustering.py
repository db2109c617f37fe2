"""Clustered tables, and the order of columns."""

from __future__ import annotations

from pytest_delta_schema import Column
from pytest_delta_schema.testing.parts import DROP, ID, INT, MAPPED, TEXT, column, columns, field, struct
from pytest_delta_schema.testing.scenario import Scenario

CLUSTERING: tuple[Scenario, ...] = (
    Scenario(
        name="layout/clustered_for_the_first_time",
        description="Clustering upgrades the protocol of the table.",
        before=columns(ID, column("r", TEXT), column("d", INT)),
        after=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        plan="""
~ layout: neither partitioned nor clustered -> clustered by (r, d)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`r`, `d`);
""",
        commits=1,
    ),
    Scenario(
        name="layout/clustering_removed",
        before=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r"]),
        after=columns(ID, column("r", TEXT), column("d", INT)),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        plan="""
~ layout: clustered by (r) -> neither partitioned nor clustered
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY NONE;
""",
        commits=1,
    ),
    Scenario(
        name="layout/clustering_changed",
        description="The order of clustering columns counts. Clustering changes in place.",
        before=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"]),
        after=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["d", "r"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        plan="""
~ layout: clustered by (r, d) -> clustered by (d, r)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`d`, `r`);
""",
        commits=1,
    ),
    Scenario(
        name="layout/clustering_column_dropped",
        description="Clustering changes before its column is dropped.",
        before=columns(
            ID, Column("legacy", struct(field("a", INT))), clustered_by=["id", "legacy.a"], table_properties=MAPPED
        ),
        after=columns(ID, clustered_by=["id"], table_properties=MAPPED),
        rows=({"id": 1, "legacy": {"a": 2}},),
        consents=(DROP,),
        plan="""
~ layout: clustered by (id, legacy.a) -> clustered by (id)
- columns.legacy: struct<a: int> -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`id`);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
        commits=2,
        rows_after=({"id": 1},),
    ),
    Scenario(
        name="layout/clustering_columns_renamed",
        description="Renamed columns and fields stay clustering columns, and a new column becomes one.",
        before=columns(ID, Column("s", struct(field("a", INT))), clustered_by=["id", "s.a"], table_properties=MAPPED),
        after=columns(
            ID,
            Column("t", struct(field("b", INT, renamed_from="a")), renamed_from="s"),
            column("n", INT),
            clustered_by=["id", "t.b", "n"],
            table_properties=MAPPED,
        ),
        rows=({"id": 1, "s": {"a": 2}},),
        plan="""
~ columns.s: s -> t (renamed)
~ columns.t.a: a -> b (renamed)
+ columns.n: (absent) -> int
~ layout: clustered by (id, t.b) -> clustered by (id, t.b, n)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `s` TO `t`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `t`.`a` TO `b`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `n` INT
);

ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`id`, `t`.`b`, `n`);
""",
        commits=4,
        rows_after=({"id": 1, "t": {"b": 2}, "n": None},),
    ),
    Scenario(
        name="layout/columns_in_order",
        description="The declared order is reached by the fewest moves, one a statement.",
        before=columns(column("a"), column("b"), column("c"), column("d"), column("e")),
        after=columns(column("e"), column("a"), column("c"), column("B"), column("d"), column_order="manage"),
        rows=({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5},),
        plan="""
~ columns.e.order: behind d -> first
~ columns.b.order: behind a -> behind c
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `e` FIRST;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `b` AFTER `c`;
""",
        commits=2,
        rows_after=({"e": 5, "a": 1, "c": 3, "b": 2, "d": 4},),
    ),
    Scenario(
        name="layout/columns_in_order_after_changes",
        description="Added, renamed and dropped columns end in the declared order.",
        before=columns(column("legacy"), column("a"), column("b"), column("old"), table_properties=MAPPED),
        after=columns(
            column("new"),
            column("b"),
            column("c", renamed_from="old"),
            column("a"),
            column_order="manage",
            table_properties=MAPPED,
        ),
        rows=({"legacy": 0, "a": 1, "b": 2, "old": 3},),
        consents=(DROP,),
        plan="""
~ columns.old: old -> c (renamed)
+ columns.new: (absent) -> bigint
- columns.legacy: bigint -> (not in the model)
~ columns.new.order: last -> first
~ columns.a.order: behind legacy -> behind c
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `c`;

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `new` FIRST;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `a` AFTER `c`;
""",
        commits=5,
        rows_after=({"new": None, "b": 2, "c": 3, "a": 1},),
    ),
    Scenario(
        name="layout/created_clustered",
        before=None,
        after=columns(
            ID,
            Column("s", struct(field("A", INT), field("b", TEXT))),
            column("a.b"),
            clustered_by=["ID", "S.a", "a.b"],
            table_properties=MAPPED,
        ),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.s: (absent) -> struct<A: int, b: string>
+ columns.`a.b`: (absent) -> bigint
+ layout: (absent) -> clustered by (id, s.A, a.b)
+ properties.delta.columnMapping.mode: (absent) -> 'name'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `s` STRUCT<`A`: INT, `b`: STRING>,
  `a.b` BIGINT
)
USING DELTA
CLUSTER BY (`id`, `s`.`A`, `a.b`)
TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);
""",
        commits=1,
    ),
    Scenario(
        name="layout/created_clustered_after_an_emoji",
        description="A comment before the clustering holds characters outside the Basic Multilingual Plane.",
        before=None,
        after=columns(ID, column("\U0001f4a5", comment="\U0001f4a5\U0001f4a5"), clustered_by=["\U0001f4a5"]),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 2 columns
+ columns.id: (absent) -> bigint not null
+ columns.`\U0001f4a5`: (absent) -> bigint
+ layout: (absent) -> clustered by (\U0001f4a5)
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL,
  `\U0001f4a5` BIGINT COMMENT '\U0001f4a5\U0001f4a5'
)
USING DELTA
CLUSTER BY (`\U0001f4a5`);
""",
    ),
)

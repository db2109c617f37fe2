"""Comments, properties, dropped columns, and spellings that are equal."""

from __future__ import annotations

from pytest_delta_schema.testing.parts import DROP, ID, MAPPED, column, columns
from pytest_delta_schema.testing.scenario import Scenario

CHANGES: tuple[Scenario, ...] = (
    Scenario(
        name="changes/column_name_in_another_case",
        before=columns(column("OrderId")),
        after=columns(column("orderid", comment="c")),
        plan="""
~ columns.OrderId.comment: '' -> 'c'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `OrderId` COMMENT 'c';
""",
    ),
    Scenario(
        name="changes/comments_cleared",
        before=columns(column(comment="c"), comment="t"),
        after=columns(column()),
        plan="""
~ columns.id.comment: 'c' -> ''
~ comment: 't' -> ''
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` COMMENT '';

COMMENT ON TABLE `dev`.`silver`.`orders` IS '';
""",
    ),
    Scenario(
        name="changes/empty_and_missing_comments_are_equal",
        before=columns(column(comment="")),
        after=columns(column(comment=None), comment=None),
        plan="",
        sql="",
    ),
    Scenario(
        name="changes/delta_property_changed_and_another_unset",
        before=columns(
            column(),
            table_properties={"delta.appendOnly": "true", "delta.logRetentionDuration": "interval 7 days"},
        ),
        after=columns(column(), table_properties={"delta.appendonly": "false", "delta.LOGRETENTIONDURATION": None}),
        plan="""
~ properties.delta.appendOnly: 'true' -> 'false'
- properties.delta.logRetentionDuration: 'interval 7 days' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.appendOnly' = 'false'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('delta.logRetentionDuration');
""",
    ),
    Scenario(
        name="changes/delta_property_in_another_spelling",
        before=columns(column(), table_properties={"delta.appendOnly": "TRUE"}),
        after=columns(column(), table_properties={"DELTA.APPENDONLY": True}),
        plan="",
        sql="",
    ),
    Scenario(
        name="changes/column_dropped_without_consent",
        before=columns(ID, column("legacy"), table_properties=MAPPED),
        after=columns(ID, comment="New"),
        rows=({"id": 1, "legacy": 5},),
        plan="""
- columns.legacy: bigint -> (not in the model)
~ comment: '' -> 'New'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
""",
        refused_by=("DS206",),
    ),
    Scenario(
        name="changes/column_dropped_with_consent",
        before=columns(ID, column("legacy"), table_properties=MAPPED),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        plan="""
- columns.legacy: bigint -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
    ),
    Scenario(
        name="changes/column_dropped_after_column_mapping_is_enabled",
        description="The plan enables column mapping, which dropping a column needs.",
        before=columns(ID, column("legacy")),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        requires_unset=("delta.columnMapping.mode",),
        plan="""
+ properties.delta.columnMapping.mode: (absent) -> 'name'
- columns.legacy: bigint -> (not in the model)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
""",
    ),
    Scenario(
        name="changes/columns_in_another_order",
        before=columns(column("a"), column("b")),
        after=columns(column("b"), column("a")),
        plan="",
        sql="",
    ),
    Scenario(
        name="changes/properties_set_changed_and_unset",
        before=columns(column(), table_properties={"a": "1", "b": "1", "Case": "x", "kept": "1"}),
        after=columns(column(), table_properties={"a": "2", "b": None, "case": "y", "c": True}),
        plan="""
~ properties.a: '1' -> '2'
+ properties.c: (absent) -> 'true'
+ properties.case: (absent) -> 'y'
- properties.b: '1' -> (absent)
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'a' = '2',
  'c' = 'true',
  'case' = 'y'
);

ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('b');
""",
    ),
)

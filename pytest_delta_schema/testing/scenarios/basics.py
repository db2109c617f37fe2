"""Tables that are created and aligned, with columns of every type, and changes of several aspects at once."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, StringType, TimestampNTZType, TimestampType

from pytest_delta_schema import Column
from pytest_delta_schema.testing.scenario import (
    DROP,
    EVERY_TYPE,
    ID,
    MAPPED,
    NESTED,
    VARIANTS,
    Scenario,
    column,
    columns,
    orders,
)

_VARIANTS = tuple(
    Scenario(
        name="basics/variant_added",
        description="Where Spark has the type, from 4.0 on.",
        before=columns(ID, Column("first", variant.data_type)),
        after=columns(ID, Column("first", variant.data_type), variant, Column("list", ArrayType(variant.data_type))),
        rows=({"id": 1},),
        plan="""
+ columns.c_variant: (absent) -> variant
+ columns.list: (absent) -> array<variant>
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `c_variant` VARIANT,
  `list` ARRAY<VARIANT>
);
""",
        commits=1,
    )
    for variant in VARIANTS
)

BASICS: tuple[Scenario, ...] = (
    *_VARIANTS,
    Scenario(
        name="basics/second_column_of_a_type_that_needs_a_feature",
        description="The table feature is enabled already, so only the column is added.",
        before=columns(ID, Column("first", TimestampNTZType())),
        after=columns(ID, Column("first", TimestampNTZType()), Column("next", ArrayType(TimestampNTZType()))),
        plan="""
+ columns.next: (absent) -> array<timestamp_ntz>
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `next` ARRAY<TIMESTAMP_NTZ>
);
""",
    ),
    Scenario(
        name="basics/every_type_added",
        before=columns(ID),
        after=columns(ID, *[column for column in EVERY_TYPE if column.name not in ("c_nested", "c_void")]),
        rows=({"id": 1},),
        plan="""
+ properties.delta.feature.timestampNtz: (absent) -> 'supported'
+ columns.c_binary: (absent) -> binary
+ columns.c_boolean: (absent) -> boolean
+ columns.c_byte: (absent) -> tinyint
+ columns.c_char: (absent) -> char(3)
+ columns.c_date: (absent) -> date
+ columns.c_decimal: (absent) -> decimal(38,18)
+ columns.c_double: (absent) -> double
+ columns.c_float: (absent) -> float
+ columns.c_int: (absent) -> int
+ columns.c_long: (absent) -> bigint
+ columns.c_short: (absent) -> smallint
+ columns.c_string: (absent) -> string
+ columns.c_timestamp: (absent) -> timestamp
+ columns.c_timestamp_ntz: (absent) -> timestamp_ntz
+ columns.c_varchar: (absent) -> varchar(10)
+ columns.c_list_of_varchar: (absent) -> array<varchar(5)>
+ columns.c_map_of_struct: (absent) -> map<string, struct<x: char(2)>>
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.feature.timestampNtz' = 'supported'
);

ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `c_binary` BINARY,
  `c_boolean` BOOLEAN,
  `c_byte` TINYINT,
  `c_char` CHAR(3),
  `c_date` DATE,
  `c_decimal` DECIMAL(38,18),
  `c_double` DOUBLE,
  `c_float` FLOAT,
  `c_int` INT,
  `c_long` BIGINT,
  `c_short` SMALLINT,
  `c_string` STRING,
  `c_timestamp` TIMESTAMP,
  `c_timestamp_ntz` TIMESTAMP_NTZ,
  `c_varchar` VARCHAR(10),
  `c_list_of_varchar` ARRAY<VARCHAR(5)>,
  `c_map_of_struct` MAP<STRING, STRUCT<`x`: CHAR(2)>>
);
""",
    ),
    Scenario(
        name="basics/every_type_created",
        before=None,
        after=columns(*EVERY_TYPE),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 19 columns
+ columns.c_binary: (absent) -> binary
+ columns.c_boolean: (absent) -> boolean
+ columns.c_byte: (absent) -> tinyint
+ columns.c_char: (absent) -> char(3)
+ columns.c_date: (absent) -> date
+ columns.c_decimal: (absent) -> decimal(38,18)
+ columns.c_double: (absent) -> double
+ columns.c_float: (absent) -> float
+ columns.c_int: (absent) -> int
+ columns.c_long: (absent) -> bigint
+ columns.c_short: (absent) -> smallint
+ columns.c_string: (absent) -> string
+ columns.c_timestamp: (absent) -> timestamp
+ columns.c_timestamp_ntz: (absent) -> timestamp_ntz
+ columns.c_varchar: (absent) -> varchar(10)
+ columns.c_void: (absent) -> void
+ columns.c_nested: (absent) -> struct<lat: double not null, tags: array<string>, by_key: map<string, decimal(9,3)>>
+ columns.c_list_of_varchar: (absent) -> array<varchar(5)>
+ columns.c_map_of_struct: (absent) -> map<string, struct<x: char(2)>>
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `c_binary` BINARY,
  `c_boolean` BOOLEAN,
  `c_byte` TINYINT,
  `c_char` CHAR(3),
  `c_date` DATE,
  `c_decimal` DECIMAL(38,18),
  `c_double` DOUBLE,
  `c_float` FLOAT,
  `c_int` INT,
  `c_long` BIGINT,
  `c_short` SMALLINT,
  `c_string` STRING,
  `c_timestamp` TIMESTAMP,
  `c_timestamp_ntz` TIMESTAMP_NTZ,
  `c_varchar` VARCHAR(10),
  `c_void` VOID,
  `c_nested` STRUCT<`lat`: DOUBLE NOT NULL COMMENT 'Degrees', `tags`: ARRAY<STRING>, `by_key`: MAP<STRING, DECIMAL(9,3)>>,
  `c_list_of_varchar` ARRAY<VARCHAR(5)>,
  `c_map_of_struct` MAP<STRING, STRUCT<`x`: CHAR(2)>>
)
USING DELTA;
""",
    ),
    Scenario(
        name="basics/nothing_to_do",
        before=orders(),
        after=orders(),
        plan="",
        sql="",
    ),
    Scenario(
        name="basics/type_changed_from_struct_to_string",
        description="Delta cannot change a struct to a string.",
        before=columns(ID, Column("b", NESTED)),
        after=columns(ID, Column("b", StringType())),
        plan="""
~ columns.b: struct<lat: double not null, tags: array<string>, by_key: map<string, decimal(9,3)>> -> string
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` TYPE STRING;
""",
        refused_by=("DS208",),
    ),
    Scenario(
        name="basics/worked_example_aligned",
        before=columns(column("id"), Column("created_ts", TimestampType())),
        after=orders(),
        rows=({"id": 1}, {"id": 2}),
        plan="""
+ columns.amount: (absent) -> decimal(18,2)
~ columns.id: nullable -> not null
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
~ columns.amount.comment: '' -> 'Order total'
~ columns.created_ts.comment: '' -> 'Creation time'
~ columns.id.comment: '' -> 'Order ID'
~ comment: '' -> 'Orders table'
+ properties.delta.autoOptimize.optimizeWrite: (absent) -> 'true'
""",
        sql="""
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `amount` DECIMAL(18,2)
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `amount` COMMENT 'Order total',
  `created_ts` COMMENT 'Creation time',
  `id` COMMENT 'Order ID';

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders table';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'delta.autoOptimize.optimizeWrite' = 'true'
);
""",
    ),
    Scenario(
        name="basics/worked_example_created",
        before=None,
        after=orders(),
        plan="""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 3 columns
+ columns.id: (absent) -> bigint not null
+ columns.created_ts: (absent) -> timestamp
+ columns.amount: (absent) -> decimal(18,2)
+ primary_key: (absent) -> pk_dev_silver_orders__id (id)
+ comment: (absent) -> 'Orders table'
+ properties.delta.autoOptimize.optimizeWrite: (absent) -> 'true'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL COMMENT 'Order ID',
  `created_ts` TIMESTAMP COMMENT 'Creation time',
  `amount` DECIMAL(18,2) COMMENT 'Order total'
)
USING DELTA
COMMENT 'Orders table'
TBLPROPERTIES (
  'delta.autoOptimize.optimizeWrite' = 'true'
);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
""",
    ),
)


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

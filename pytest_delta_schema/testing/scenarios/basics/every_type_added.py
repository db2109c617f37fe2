"""Every type, added."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, *[each for each in EVERY_TYPE if each.name not in ("c_nested", "c_void")])
rows = ({"id": 1},)

plan = """
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
+ columns.c_variant: (absent) -> variant
+ columns.c_list_of_varchar: (absent) -> array<varchar(5)>
+ columns.c_map_of_struct: (absent) -> map<string, struct<x: char(2)>>
"""

sql = """
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
  `c_variant` VARIANT,
  `c_list_of_varchar` ARRAY<VARCHAR(5)>,
  `c_map_of_struct` MAP<STRING, STRUCT<`x`: CHAR(2)>>
);
"""

"""Everything widened."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    column("i", INT),
    Column("a", ADDRESS),
    Column("l", spark.ArrayType(struct(field("p", spark.DecimalType(5, 2))))),
    Column("m", spark.MapType(INT, INT)),
    column("v", spark.VarcharType(3)),
    table_properties=WIDENS,
)
after = columns(
    ID,
    column("i", spark.DecimalType(12, 2)),
    Column("a", struct(field("city", TEXT), field("geo", struct(field("lat", spark.DoubleType()))))),
    Column("l", spark.ArrayType(struct(field("p", spark.DecimalType(8, 3))))),
    Column("m", spark.MapType(LONG, LONG)),
    column("v", spark.VarcharType(5)),
    table_properties=WIDENS,
)
rows = ({"id": 1, "i": 7, "a": HOME, "l": [{"p": Decimal(1)}], "m": {1: 2}, "v": "abc"},)

plan = """
~ columns.a.geo.lat: float -> double
~ columns.i: int -> decimal(12,2)
~ columns.l.element.p: decimal(5,2) -> decimal(8,3)
~ columns.m.key: int -> bigint
~ columns.m.value: int -> bigint
~ columns.v: varchar(3) -> varchar(5)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a`.`geo`.`lat` TYPE DOUBLE,
  `i` TYPE DECIMAL(12,2),
  `l`.`element`.`p` TYPE DECIMAL(8,3),
  `m`.`key` TYPE BIGINT,
  `m`.`value` TYPE BIGINT,
  `v` TYPE VARCHAR(5);
"""

commits = 1
left = ({"id": 1, "i": 7, "a": HOME, "l": [{"p": 1}], "m": {1: 2}, "v": "abc"},)

"""Fields added at every depth."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    Column("a", ADDRESS),
    Column("l", spark.ArrayType(struct(field("p", INT)))),
    Column("m", spark.MapType(TEXT, struct(field("u", INT)))),
)
after = columns(
    ID,
    Column("a", struct(field("city", TEXT), field("geo", struct(field("lat", spark.FloatType()), field("lon"))))),
    Column("l", spark.ArrayType(struct(field("p", INT), field("q", TEXT, comment="New")))),
    Column("m", spark.MapType(TEXT, struct(field("u", INT), field("v", struct(field("x")))))),
)
rows = ({"id": 1, "a": HOME, "l": [{"p": 1}, None], "m": {"k": {"u": 2}}}, {"id": 2, "a": None})

plan = """
+ columns.a.geo.lon: (absent) -> bigint
+ columns.l.element.q: (absent) -> string
+ columns.m.value.v: (absent) -> struct<x: bigint>
~ columns.l.element.q.comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `a`.`geo`.`lon` BIGINT,
  `l`.`element`.`q` STRING,
  `m`.`value`.`v` STRUCT<`x`: BIGINT>
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `l`.`element`.`q` COMMENT 'New';
"""

commits = 2
left = (
    {
        "id": 1,
        "a": {"city": "Bonn", "geo": {"lat": 1.5, "lon": None}},
        "l": [{"p": 1, "q": None}, None],
        "m": {"k": {"u": 2, "v": None}},
    },
    {"id": 2, "a": None, "l": None, "m": None},
)

"""Partitions have no name for some values: they would be read back as NULL."""

from pytest_delta_schema.testing.parts import *

PARTS = (
    ID,
    column("a", TEXT),
    column("b", spark.VarcharType(30)),
    column("c", spark.CharType(2)),
    column("d", spark.BinaryType()),
    column("e", spark.TimestampType()),
)
BY = ["a", "b", "c", "d", "e"]
before = columns(*PARTS)
after = columns(*PARTS, partitioned_by=BY)
rows = (
    {"id": 1, "a": "", "b": "__HIVE_DEFAULT_PARTITION__", "c": "", "d": b"\xff"},
    {"id": 2, "a": " ", "b": "", "c": "x", "d": b""},
    {"id": 3, "a": "x", "b": None, "c": None, "d": b"x"},
)
consents = (REWRITE,)

plan = """
~ layout: neither partitioned nor clustered -> partitioned by (a, b, c, d, e)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`a`, `b`, `c`, `d`, `e`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

refused = ("DS306", "DS306", "DS306")
commits = 0

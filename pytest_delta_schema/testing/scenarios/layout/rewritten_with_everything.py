"""What else a table has lives through other partitions: NOT NULL, comments, values, constraints, properties."""

from pytest_delta_schema.testing.parts import *

PARTS = (
    column("id", is_nullable=False, comment="Key"),
    column("seq", identity=Identity(start=7)),
    column("r", TEXT, default="'x'"),
    column("d", spark.DecimalType(9, 2)),
    column("again", spark.DecimalType(9, 2), generated_as="d"),
    Column("s", struct(field("x", INT, nullable=False, comment="In"), field("y", spark.VarcharType(3)))),
)
EVERYTHING = {
    "comment": "Everything",
    "table_properties": {**BOTH, "delta.enableDeletionVectors": "true", "team": "core"},
    "primary_key": ["id"],
    "checks": [Check("positive", "id > 0")],
    "foreign_keys": [ForeignKey(["id"], parent())],
}
before = columns(*PARTS, **EVERYTHING)
after = columns(*PARTS, partitioned_by=["r"], **EVERYTHING)
rows = (
    {"id": 1, "d": Decimal("1.50"), "s": {"x": 1, "y": "abc"}},
    {"id": 2, "r": "b", "d": None, "s": {"x": 2, "y": None}},
)
others = ((parent(), ({"id": 1, "region": "a"}, {"id": 2, "region": "a"})),)
consents = (REWRITE,)

plan = """
~ layout: neither partitioned nor clustered -> partitioned by (r)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`r`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

commits = 1
left = (
    {"id": 1, "seq": 7, "r": "x", "d": 1.5, "again": 1.5, "s": {"x": 1, "y": "abc"}},
    {"id": 2, "seq": 8, "r": "b", "d": None, "again": None, "s": {"x": 2, "y": None}},
)

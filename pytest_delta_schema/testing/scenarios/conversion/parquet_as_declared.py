"""A parquet table of just the declared columns becomes Delta, and its comment comes with the alignment."""

from pytest_delta_schema.testing.parts import *

before = None
parquet = columns(column("id"), column("amount", spark.DoubleType(), comment="Total"))
after = columns(
    column("id"), column("amount", spark.DoubleType(), comment="Total"), comment="Orders", convert_from="parquet"
)
rows = ({"id": 1, "amount": 1.5}, {"id": 2, "amount": None})

plan = """
~ format: parquet -> delta
~ comment: '' -> 'Orders'
"""

sql = """
CONVERT TO DELTA `dev`.`silver`.`orders`;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders';
"""

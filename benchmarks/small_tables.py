"""Tables of twenty columns, which modules of models, programs and tests of the benchmarks import."""

from __future__ import annotations

from pyspark.sql.types import LongType, StringType

from pytest_delta_schema import Column, ForeignKey, Table


def small_table(number: int) -> Table:
    """Declare one of the tables that are read."""
    columns = [Column(f"column_{n}", LongType() if n % 2 else StringType(), comment=f"Number {n}") for n in range(20)]
    return Table("dev", "silver", f"table_{number}", columns, comment="A table", table_properties={"team": "x"})


def keyed_table(number: int) -> Table:
    """Declare one of the tables that are created: each has a primary key, and every tenth a foreign key."""
    columns = [Column("id", LongType(), is_nullable=False), *small_table(number).columns[1:]]
    keys = [] if number % 10 else [ForeignKey(["id"], "dev.silver.table_1")]
    return Table("dev", "silver", f"table_{number}", columns, comment="A table", primary_key=["id"], foreign_keys=keys)

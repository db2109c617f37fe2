"""The number of loans in each state."""

from pyspark.sql.types import DoubleType, LongType, StringType

from pytest_delta_schema import Column, Table

loans_by_state = Table(
    "dev",
    "lending",
    "loans_by_state",
    [
        Column("addr_state", StringType(), comment="Two letters"),
        Column("count", LongType(), comment="Loans of the state"),
    ],
    comment="Loans by state",
)


def with_amount() -> Table:
    """Return the contract that a team writes once it wants the amounts as well."""
    columns = [*loans_by_state.columns, Column("amount", DoubleType(), comment="Sum of the loans, in dollars")]
    return Table("dev", "lending", "loans_by_state", columns, comment=loans_by_state.comment)

"""The versions of the model of orders; a real project has them in its version control."""

from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from pytest_delta_schema import Check, Column, ForeignKey, Table
from pytest_delta_schema.rules import Consent

MAPPED = {"delta.columnMapping.mode": "name"}


def orders(*columns: Column, **more: object) -> Table:
    return Table("dev", "shop", "orders", list(columns), **more)


def struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


ID = Column("id", LongType(), is_nullable=False, comment="Order")
TAKEN = Column("taken", TimestampType(), comment="When it was taken")
DAY = Column("day", DateType(), comment="The day on which it was taken")
LINE = struct(sku=StringType(), quantity=LongType())
CUSTOMERS = Table("dev", "shop", "customers", [Column("id", LongType(), is_nullable=False)], primary_key=["id"])

VERSIONS = {
    "01_the_first_draft": orders(
        Column("id", LongType()),
        Column("cust", IntegerType()),
        Column("amount", DecimalType(9, 2)),
        Column("taken", TimestampType()),
    ),
    "02_a_key_and_words": orders(
        ID,
        Column("cust", IntegerType()),
        Column("amount", DecimalType(9, 2)),
        TAKEN,
        comment="Orders of the shop",
        primary_key=["id"],
    ),
    "03_no_negative_orders": orders(
        ID,
        Column("cust", IntegerType()),
        Column("amount", DecimalType(9, 2)),
        TAKEN,
        comment="Orders of the shop",
        primary_key=["id"],
        checks=[Check("positive_amount", "amount >= 0")],
    ),
    "04_lines_of_an_order": orders(
        ID,
        Column("cust", IntegerType()),
        Column("amount", DecimalType(9, 2)),
        TAKEN,
        Column("lines", ArrayType(struct(sku=StringType()))),
        Column("state", StringType(), default="'new'"),
        comment="Orders of the shop",
        primary_key=["id"],
        checks=[Check("positive_amount", "amount >= 0")],
    ),
    "05_bigger_orders": orders(
        ID,
        Column("cust", LongType()),
        Column("amount", DecimalType(18, 2)),
        TAKEN,
        Column("lines", ArrayType(LINE)),
        Column("state", StringType(), default="'new'"),
        comment="Orders of the shop",
        primary_key=["id"],
        checks=[Check("positive_amount", "amount >= 0")],
    ),
    "06_customers_by_their_name": orders(
        ID,
        Column("customer_id", LongType(), renamed_from="cust"),
        Column("amount", DecimalType(18, 2)),
        TAKEN,
        Column("lines", ArrayType(LINE)),
        Column("state", StringType(), default="'new'"),
        comment="Orders of the shop",
        table_properties=MAPPED,
        primary_key=["id"],
        checks=[Check("positive_amount", "amount >= 0")],
    ),
    "07_a_reference": orders(
        ID,
        Column("customer_id", LongType()),
        Column("amount", DecimalType(18, 2)),
        TAKEN,
        Column("lines", ArrayType(LINE)),
        Column("state", StringType(), default="'new'"),
        comment="Orders of the shop",
        table_properties=MAPPED,
        primary_key=["id"],
        checks=[Check("positive_amount", "amount >= 0")],
        foreign_keys=[ForeignKey(["customer_id"], CUSTOMERS)],
    ),
    "08_laid_out_by_day": orders(
        ID,
        Column("customer_id", LongType()),
        Column("amount", DecimalType(18, 2)),
        TAKEN,
        Column("lines", ArrayType(LINE)),
        Column("state", StringType(), default="'new'"),
        DAY,
        comment="Orders of the shop",
        table_properties=MAPPED,
        primary_key=["id"],
        checks=[Check("positive_amount", "amount >= 0")],
        foreign_keys=[ForeignKey(["customer_id"], CUSTOMERS)],
        clustered_by=["day", "customer_id"],
    ),
    "09_states_moved_out": orders(
        ID,
        Column("customer_id", LongType()),
        Column("amount", DecimalType(18, 2)),
        TAKEN,
        Column("lines", ArrayType(LINE)),
        DAY,
        comment="Orders of the shop",
        table_properties=MAPPED,
        primary_key=["id"],
        checks=[Check("positive_amount", "amount >= 0")],
        foreign_keys=[ForeignKey(["customer_id"], CUSTOMERS)],
        clustered_by=["day", "customer_id"],
    ),
    "10_partitions_for_the_archive": orders(
        ID,
        Column("customer_id", LongType()),
        Column("amount", DecimalType(18, 2)),
        TAKEN,
        Column("lines", ArrayType(LINE)),
        DAY,
        comment="Orders of the shop",
        table_properties={**MAPPED, "team": "archive"},
        primary_key=["id"],
        checks=[Check("positive_amount", "amount BETWEEN 0 AND 100000")],
        foreign_keys=[ForeignKey(["customer_id"], CUSTOMERS)],
        partitioned_by=["day"],
    ),
}
CONSENTS = [Consent("drop-column", "dev.shop.orders.state"), Consent("rewrite", "dev.shop.orders")]

"""Cleaned tables: keys, nested values, and the names that the tills have used for thirty years."""

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from pytest_delta_schema import Check, Column, ForeignKey, Table

MONEY = DecimalType(18, 2)
ADDRESS = StructType(
    [
        StructField("street", StringType(), metadata={"comment": "With the number"}),
        StructField("city", StringType(), nullable=False),
        StructField("country", StringType(), nullable=False, metadata={"comment": "ISO 3166, two letters"}),
    ]
)

customers = Table(
    "dev",
    "silver",
    "customers",
    [
        Column("customer_id", LongType(), is_nullable=False, comment="Customer"),
        Column("name", StringType(), is_nullable=False),
        Column("addresses", MapType(StringType(), StructType(ADDRESS.fields[:1])), comment="By purpose"),
        Column("home", ADDRESS, comment="Where goods go"),
        Column("is_active", BooleanType()),
    ],
    comment='One row a customer; "active" is what the till\'s \\-flag says',
    primary_key=["customer_id"],
)

products = Table(
    "dev",
    "silver",
    "products",
    [
        Column("sku", StringType(), is_nullable=False, comment="Stock keeping unit"),
        Column("title", StringType(), comment="In the shop's language; 100% of them have one"),
        Column("tags", ArrayType(StringType())),
        Column("price", MONEY),
    ],
    comment="What is sold",
    primary_key=["sku"],
)

orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("order_id", LongType(), is_nullable=False, comment="Order"),
        Column("customer_id", LongType(), is_nullable=False),
        Column("ordered_at", TimestampType(), is_nullable=False, comment="UTC"),
        Column(
            "lines",
            ArrayType(
                StructType(
                    [
                        StructField("sku", StringType()),
                        StructField("quantity", IntegerType()),
                        StructField("price", MONEY, metadata={"comment": "Of one"}),
                    ]
                )
            ),
            comment="As ordered",
        ),
    ],
    comment="One row an order",
    primary_key=["order_id"],
    foreign_keys=[ForeignKey(["customer_id"], references=customers)],
)

order_lines = Table(
    "dev",
    "silver",
    "order_lines",
    [
        Column("order_id", LongType(), is_nullable=False),
        Column("line_no", IntegerType(), is_nullable=False),
        Column("sku", StringType(), is_nullable=False),
        Column("quantity", IntegerType()),
        Column("price", MONEY),
    ],
    comment="Orders, flat",
    primary_key=["order_id", "line_no"],
    checks=[
        Check("counted_from_one", "line_no >= 1"),
        Check("something_ordered", "quantity IS NULL OR quantity > 0"),
    ],
    foreign_keys=[
        ForeignKey(["order_id"], references=orders),
        ForeignKey(["sku"], references=products, name="what_was_ordered"),
    ],
)

# The till's export has its own names; column mapping lets them be stored as they are.
till_days = Table(
    "dev",
    "silver",
    "till-days (old)",
    [
        Column("Till No.", IntegerType(), is_nullable=False),
        Column("day", DateType(), is_nullable=False),
        Column("total, gross", MONEY, comment="Incl. 19 % VAT; 'as printed'"),
        Column("ñ `quoted`", StringType()),
    ],
    comment="Daily closing, from before 2010 🧾",
    table_properties={"delta.columnMapping.mode": "name", "team": "tills", "legacy": None},
    primary_key=["Till No.", "day"],
)

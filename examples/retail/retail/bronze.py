"""Raw tables: as they arrive, nothing is demanded of them."""

from pyspark.sql.types import BinaryType, LongType, MapType, StringType, TimestampType

from pytest_delta_schema import Column, Table


def _raw(name: str, *columns: Column) -> Table:
    """Declare a raw table: its own columns, and where each row came from."""
    return Table(
        "dev",
        "bronze",
        name,
        [
            *columns,
            Column("headers", MapType(StringType(), StringType()), comment="Of the message"),
            Column("_source", StringType(), comment="File or topic"),
            Column("_arrived", TimestampType(), comment="When it was read"),
        ],
        table_properties={"delta.appendOnly": True},
    )


till_events = _raw("till_events", Column("payload", StringType(), comment="JSON"))
web_events = _raw("web_events", Column("payload", BinaryType(), comment="Avro"), Column("offset", LongType()))

"""Create the tables of ``small_tables.keyed_table`` by plain statements, one after the other."""

from __future__ import annotations

import sys

from small_tables import small_table

from programs.plain_session import plain_session


def main(jars: str, warehouse: str, count: int) -> None:
    """Start a session, and create as many tables, without the keys, which Delta has no statement for."""
    spark = plain_session("local[2]", jars, warehouse, {})
    schema = ", ".join(
        f"{column.name} {column.data_type.simpleString()} COMMENT '{column.comment}'"
        for column in small_table(0).columns[1:]
    )
    for number in range(count):
        spark.sql(f"CREATE TABLE table_{number} (id BIGINT NOT NULL, {schema}) USING DELTA COMMENT 'A table'")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

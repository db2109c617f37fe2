"""Partitioning and clustering, rewrites of a layout, and conversion from parquet."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pyspark.sql.types import BinaryType, CharType, DateType, DecimalType, DoubleType, TimestampType, VarcharType

from pytest_delta_schema import Check, Column, ForeignKey, Identity, Parquet
from pytest_delta_schema.testing.scenario import (
    BOTH,
    DROP,
    ID,
    INT,
    MAPPED,
    REWRITE,
    TEXT,
    WIDENS,
    Scenario,
    column,
    columns,
    field,
    parent,
    struct,
)

PARTITIONING: tuple[Scenario, ...] = (
    Scenario(
        name="layout/created_partitioned",
        description="Names match without case and are written as declared.",
        before=None,
        after=columns(
            ID,
            column("Day", DateType()),
            column("region", TEXT),
            comment="Partitioned",
            partitioned_by=["day", "region"],
        ),
        commits=1,
    ),
    Scenario(
        name="layout/partition_column_dropped",
        description="The table is rewritten before its partition column is dropped.",
        before=columns(ID, column("legacy", INT), column("d", INT), partitioned_by=["legacy"], table_properties=MAPPED),
        after=columns(ID, column("d", INT), partitioned_by=["d"], table_properties=MAPPED),
        rows=({"id": 1, "legacy": 2, "d": 3},),
        consents=(DROP, REWRITE),
        commits=2,
        rows_after=({"id": 1, "d": 3},),
    ),
    Scenario(
        name="layout/partition_column_renamed",
        description="The table stays partitioned by the renamed column.",
        before=columns(ID, column("r", TEXT), partitioned_by=["r"], table_properties=MAPPED),
        after=columns(ID, column("region", TEXT, renamed_from="r"), partitioned_by=["region"], table_properties=MAPPED),
        rows=({"id": 1, "r": "a"},),
        commits=1,
        rows_after=({"id": 1, "region": "a"},),
    ),
    Scenario(
        name="layout/partition_column_widened",
        description="A partition column is widened in place.",
        before=columns(ID, column("d", INT), partitioned_by=["d"], table_properties=WIDENS),
        after=columns(ID, column("d"), partitioned_by=["d"], table_properties=WIDENS),
        rows=({"id": 1, "d": 3},),
        commits=1,
    ),
    Scenario(
        name="layout/layout_in_another_case",
        description="A layout in another case is equal, also on a table with column mapping.",
        before=columns(ID, Column("S", struct(field("A", INT))), clustered_by=["s.a", "ID"], table_properties=MAPPED),
        after=columns(ID, Column("S", struct(field("A", INT))), clustered_by=["S.A", "id"], table_properties=MAPPED),
        rows=({"id": 1, "S": {"A": 1}},),
        commits=0,
        rows_after=({"id": 1, "S": {"A": 1}},),
    ),
)


CLUSTERING: tuple[Scenario, ...] = (
    Scenario(
        name="layout/clustered_for_the_first_time",
        description="Clustering upgrades the protocol of the table.",
        before=columns(ID, column("r", TEXT), column("d", INT)),
        after=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        commits=1,
    ),
    Scenario(
        name="layout/clustering_removed",
        before=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r"]),
        after=columns(ID, column("r", TEXT), column("d", INT)),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        commits=1,
    ),
    Scenario(
        name="layout/clustering_changed",
        description="The order of clustering columns counts. Clustering changes in place.",
        before=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"]),
        after=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["d", "r"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        commits=1,
    ),
    Scenario(
        name="layout/clustering_column_dropped",
        description="Clustering changes before its column is dropped.",
        before=columns(
            ID, Column("legacy", struct(field("a", INT))), clustered_by=["id", "legacy.a"], table_properties=MAPPED
        ),
        after=columns(ID, clustered_by=["id"], table_properties=MAPPED),
        rows=({"id": 1, "legacy": {"a": 2}},),
        consents=(DROP,),
        commits=2,
        rows_after=({"id": 1},),
    ),
    Scenario(
        name="layout/clustering_columns_renamed",
        description="Renamed columns and fields stay clustering columns, and a new column becomes one.",
        before=columns(ID, Column("s", struct(field("a", INT))), clustered_by=["id", "s.a"], table_properties=MAPPED),
        after=columns(
            ID,
            Column("t", struct(field("b", INT, renamed_from="a")), renamed_from="s"),
            column("n", INT),
            clustered_by=["id", "t.b", "n"],
            table_properties=MAPPED,
        ),
        rows=({"id": 1, "s": {"a": 2}},),
        commits=4,
        rows_after=({"id": 1, "t": {"b": 2}, "n": None},),
    ),
    Scenario(
        name="layout/columns_in_order",
        description="The declared order is reached by the fewest moves, one a statement.",
        before=columns(column("a"), column("b"), column("c"), column("d"), column("e")),
        after=columns(column("e"), column("a"), column("c"), column("B"), column("d"), column_order="manage"),
        rows=({"a": 1, "b": 2, "c": 3, "d": 4, "e": 5},),
        commits=2,
        rows_after=({"e": 5, "a": 1, "c": 3, "b": 2, "d": 4},),
    ),
    Scenario(
        name="layout/columns_in_order_after_changes",
        description="Added, renamed and dropped columns end in the declared order.",
        before=columns(column("legacy"), column("a"), column("b"), column("old"), table_properties=MAPPED),
        after=columns(
            column("new"),
            column("b"),
            column("c", renamed_from="old"),
            column("a"),
            column_order="manage",
            table_properties=MAPPED,
        ),
        rows=({"legacy": 0, "a": 1, "b": 2, "old": 3},),
        consents=(DROP,),
        commits=5,
        rows_after=({"new": None, "b": 2, "c": 3, "a": 1},),
    ),
    Scenario(
        name="layout/created_clustered",
        before=None,
        after=columns(
            ID,
            Column("s", struct(field("A", INT), field("b", TEXT))),
            column("a.b"),
            clustered_by=["ID", "S.a", "a.b"],
            table_properties=MAPPED,
        ),
        commits=1,
    ),
    Scenario(
        name="layout/created_clustered_after_an_emoji",
        description="A comment before the clustering holds characters outside the Basic Multilingual Plane.",
        before=None,
        after=columns(ID, column("\U0001f4a5", comment="\U0001f4a5\U0001f4a5"), clustered_by=["\U0001f4a5"]),
    ),
)


_PARTITION_COLUMNS = (
    ID,
    column("a", TEXT),
    column("b", VarcharType(30)),
    column("c", CharType(2)),
    column("d", BinaryType()),
    column("e", TimestampType()),
)

_PARTITIONED_BY = ["a", "b", "c", "d", "e"]

_COLUMNS_OF_EVERY_KIND = (
    column("id", is_nullable=False, comment="Key"),
    column("seq", identity=Identity(start=7)),
    column("r", TEXT, default="'x'"),
    column("d", DecimalType(9, 2)),
    column("again", DecimalType(9, 2), generated_as="d"),
    Column("s", struct(field("x", INT, nullable=False, comment="In"), field("y", VarcharType(3)))),
)

_OPTIONS_OF_EVERY_KIND = {
    "comment": "Everything",
    "table_properties": {**BOTH, "delta.enableDeletionVectors": "true", "team": "core"},
    "primary_key": ["id"],
    "checks": [Check("positive", "id > 0")],
    "foreign_keys": [ForeignKey(["id"], parent())],
}

LAYOUT_REWRITES: tuple[Scenario, ...] = (
    Scenario(
        name="layout/without_column_mapping",
        description="Delta writes all data again under the names of the columns.",
        before=columns(ID, column("r", TEXT), table_properties=MAPPED),
        after=columns(ID, column("r", TEXT), table_properties={"delta.columnMapping.mode": "none", "team": "core"}),
        rows=({"id": 1, "r": "a"}, {"id": 2, "r": None}),
        consents=(REWRITE,),
        commits=2,
    ),
    Scenario(
        name="layout/without_column_mapping_and_consent",
        before=columns(ID, column("r", TEXT), table_properties=MAPPED),
        after=columns(ID, column("r", TEXT), table_properties={"delta.columnMapping.mode": None}),
        rows=({"id": 1, "r": "a"},),
        refused_by=("DS216",),
        commits=0,
    ),
    Scenario(
        name="layout/clustered_instead_of_partitioned",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        after=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        commits=1,
    ),
    Scenario(
        name="layout/partitioned_by_values_read_back_as_null",
        description="Some values have no partition name and would be read back as NULL.",
        before=columns(*_PARTITION_COLUMNS),
        after=columns(*_PARTITION_COLUMNS, partitioned_by=_PARTITIONED_BY),
        rows=(
            {"id": 1, "a": "", "b": "__HIVE_DEFAULT_PARTITION__", "c": "", "d": b"\xff"},
            {"id": 2, "a": " ", "b": "", "c": "x", "d": b""},
            {"id": 3, "a": "x", "b": None, "c": None, "d": b"x"},
        ),
        consents=(REWRITE,),
        refused_by=("DS306", "DS306", "DS306"),
        commits=0,
    ),
    Scenario(
        name="layout/partitioned_for_the_first_time",
        before=columns(ID, column("r", TEXT), column("d", INT)),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        commits=1,
    ),
    Scenario(
        name="layout/partitioned_instead_of_clustered",
        before=columns(ID, column("r", TEXT), column("d", INT), clustered_by=["d"]),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        commits=1,
    ),
    Scenario(
        name="layout/partitioning_removed",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        after=columns(ID, column("r", TEXT), column("d", INT)),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        commits=1,
    ),
    Scenario(
        name="layout/partitioning_changed_with_consent",
        description="The rewrite keeps the rows and is one commit.",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d", "r"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        consents=(REWRITE,),
        commits=1,
    ),
    Scenario(
        name="layout/partitioning_changed_without_consent",
        before=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"]),
        rows=({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2}),
        refused_by=("DS216",),
        commits=0,
    ),
    Scenario(
        name="layout/empty_table_partitioned",
        before=columns(ID, column("r", TEXT), column("d", INT)),
        after=columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"]),
        consents=(REWRITE,),
        commits=1,
    ),
    Scenario(
        name="layout/rewritten_with_everything",
        description="A rewrite keeps NOT NULL, comments, defaults, generated columns, constraints and properties.",
        before=columns(*_COLUMNS_OF_EVERY_KIND, **_OPTIONS_OF_EVERY_KIND),
        after=columns(*_COLUMNS_OF_EVERY_KIND, partitioned_by=["r"], **_OPTIONS_OF_EVERY_KIND),
        rows=(
            {"id": 1, "d": Decimal("1.50"), "s": {"x": 1, "y": "abc"}},
            {"id": 2, "r": "b", "d": None, "s": {"x": 2, "y": None}},
        ),
        other_tables=((parent(), ({"id": 1, "region": "a"}, {"id": 2, "region": "a"})),),
        consents=(REWRITE,),
        commits=1,
        rows_after=(
            {"id": 1, "seq": 7, "r": "x", "d": 1.5, "again": 1.5, "s": {"x": 1, "y": "abc"}},
            {"id": 2, "seq": 8, "r": "b", "d": None, "again": None, "s": {"x": 2, "y": None}},
        ),
    ),
)


CONVERSION: tuple[Scenario, ...] = (
    Scenario(
        name="conversion/table_is_delta_already",
        description="`convert_from` stays in the model after the conversion.",
        before=columns(column("id")),
        after=columns(column("id"), convert_from="parquet"),
        rows=({"id": 1},),
    ),
    Scenario(
        name="conversion/undeclared_parquet_column",
        description="Dropping a column of the files needs consent and column mapping.",
        before=None,
        parquet=columns(column("id"), column("legacy")),
        after=columns(column("id"), convert_from="parquet"),
        rows=({"id": 1, "legacy": 2},),
        refused_by=("DS206", "DS207"),
    ),
    Scenario(
        name="conversion/no_table_to_convert",
        description="A table that does not exist is created.",
        before=None,
        after=columns(column("id"), convert_from="parquet"),
    ),
    Scenario(
        name="conversion/folders_partitioned_otherwise",
        before=None,
        parquet=columns(column("id"), Column("region", TEXT), partitioned_by=["region"]),
        after=columns(column("id"), Column("region", TEXT), partitioned_by=["id"], convert_from="parquet"),
        rows=({"id": 1, "region": "EU"},),
        refused_by=("DS216", "DS217"),
    ),
    Scenario(
        name="conversion/parquet_columns_as_declared",
        description="The comment is set after the conversion.",
        before=None,
        parquet=columns(column("id"), column("amount", DoubleType(), comment="Total")),
        after=columns(
            column("id"), column("amount", DoubleType(), comment="Total"), comment="Orders", convert_from="parquet"
        ),
        rows=({"id": 1, "amount": 1.5}, {"id": 2, "amount": None}),
    ),
    Scenario(
        name="conversion/converted_and_aligned",
        description="NOT NULL, a check, a new column and properties are set after the conversion.",
        before=None,
        parquet=columns(column("id"), Column("day", DateType()), partitioned_by=["day"]),
        after=columns(
            ID,
            Column("day", DateType(), comment="Of the order"),
            Column("note", TEXT),
            partitioned_by=["day"],
            checks=[Check("positive", "id > 0")],
            table_properties={"team": "data"},
            convert_from=Parquet(statistics=False),
        ),
        rows=({"id": 1, "day": date(2024, 1, 1)}, {"id": 2, "day": date(2024, 1, 2)}),
        rows_after=(
            {"id": 1, "day": date(2024, 1, 1), "note": None},
            {"id": 2, "day": date(2024, 1, 2), "note": None},
        ),
    ),
    Scenario(
        name="conversion/rows_violate_not_null",
        description="Nothing is converted while rows hold NULL in a NOT NULL column.",
        before=None,
        parquet=columns(column("id"), column("n")),
        after=columns(column("id"), column("n", is_nullable=False), convert_from="parquet"),
        rows=({"id": 1, "n": None}, {"id": 2, "n": 3}),
        refused_by=("DS301",),
    ),
)

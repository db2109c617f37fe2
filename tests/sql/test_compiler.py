"""SQL: the exact text of every statement."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from pyspark.sql import types as spark

from pytest_delta_schema import Column, QualifiedName, WriteOptions
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.plan import ColumnMappingRemoval, ConvertTable, NotNull, PartitionValue, TablePlanner
from pytest_delta_schema.sql import literal, statements
from pytest_delta_schema.sql.compiler import rendered, statements_per_column
from pytest_delta_schema.sql.data_check_queries import (
    analysed_default,
    count_rows,
    exists_violation,
    first_broken,
    first_repeated,
    generated_columns,
    samples,
    select_rows,
    select_violations,
)
from pytest_delta_schema.sql.quoting import delta_files, insert_sql, parquet_files, value_sql
from pytest_delta_schema.sql.renderers import (
    column_definition,
    describe_detail,
    describe_extended,
    drop_schema,
    drop_table,
    restore_table,
    restoring,
    select_files,
    shallow_clone,
    show_properties,
    show_schemas,
    show_tables,
    show_views,
    texts_without_zone,
)
from pytest_delta_schema.sql.statement import TOGETHER, batched_paths
from pytest_delta_schema.state import (
    ArrayState,
    CheckState,
    ColumnGeneration,
    ColumnState,
    ForeignKeyState,
    IdentityState,
    KeyState,
    MapState,
    SourceState,
    StructState,
)
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import BOTH
from support.case_tables import cases
from support.models import NAME, catalog, stored, table
from support.snapshots import ReviewedCases

IDENTITIES = IdentityState(-5, 2, is_always=False), IdentityState(1, 1, is_always=True)
VALUES = None, ColumnGeneration("1 -- x"), ColumnGeneration(generated="CAST(ts AS BIGINT)"), ColumnGeneration()
GENERATED = *VALUES, *(ColumnGeneration(identity=identity) for identity in IDENTITIES)
VALUED = [stored("a`")._replace(value=value) for value in GENERATED]
TO_PARENT = ForeignKeyState("fk", ("a", "b"), QualifiedName("dev", "silver", "parents"), ("x", "y`"))


def test_identifiers():
    with cases(identifier) as case:
        case("id", "`id`")
        case("a`b", "`a``b`")
        case("`", "````")
        case("${x}", "`${x}`")


def test_literals():
    with cases(literal) as case:
        case("", "''")
        case("it's", r"'it\'s'")
        case("a\\b", r"'a\\b'")
        case("a\nb\tc\rd", r"'a\nb\tc\rd'")
        case("nul\0", r"'nul\0'")
        case("nul\x0012", r"'nul\u000012'")
        case("\x1b[2K \x7f \x85", r"'\u001b[2K \u007f \u0085'")
        case("\u2028 \u202e \u2069 \u200b \ufeff", r"'\u2028 \u202e \u2069 \u200b \ufeff'")
        case("\U000e0041 \ud800", r"'\udb40\udc41 \ud800'")
        case("\u200d \u00a0", "'\u200d \u00a0'")
        case("${x} $y $", r"'\u0024{x} $y $'")
        case('say "x"', "'say \"x\"'")


def test_queries(reviewed):
    queries = [
        count_rows(select_rows(NAME), [NotNull(ColumnPath("a")), NotNull(ColumnPath("b", "x`"))]),
        count_rows(select_rows(NAME, version=3), []),
        count_rows(
            select_rows(NAME, added=[stored("b", "int")]), [CheckState("x", "a > 0 -- x"), CheckState("y", "b = 1")]
        ),
        count_rows(select_rows(NAME), [KeyState("k", ("a", "b`"))]),
        count_rows(select_rows(NAME, [NotNull(ColumnPath("a")), TO_PARENT]), [NotNull(ColumnPath("a")), TO_PARENT]),
        select_rows(NAME, [TO_PARENT], absent=[TO_PARENT], added=[stored("b")]),
        first_broken("t", [NotNull(ColumnPath("a")), CheckState("x", "b > 0")]),
        first_repeated("t", KeyState("k", ("a",))),
        samples("t", NotNull(ColumnPath("a")), 2, shown=["id", "b`"], number=5),
        samples("t", KeyState("k", ("a",)), 0, shown=["a"], number=1),
        select_violations(NAME, NotNull(ColumnPath("a`b"))),
        select_violations(NAME, KeyState("k", ("a", "b"))),
        select_violations(NAME, CheckState("x", "a > 0")),
        select_violations(NAME, TO_PARENT),
        exists_violation([stored("a"), stored("b`", "string")], "a > 0"),
        restore_table(NAME, 3),
        restoring(NAME, 4).sql,
        drop_schema("a", "b`"),
        drop_table(NAME),
        shallow_clone(NAME, QualifiedName("dev", "test", "o`rders")),
        describe_extended(NAME),
        describe_detail(NAME),
        show_properties(NAME),
        show_schemas("a`"),
        show_tables("a", "b`"),
        show_views("a", "b`"),
        select_files("/a `b`", "path, content"),
        insert_sql(WriteOptions(method="sql_insert"), "t", "s"),
        insert_sql(WriteOptions(method="sql_insert", mode="overwrite", by="name"), "t", "s"),
        insert_sql(WriteOptions(method="sql_insert", by=["a", "b`"], evolves=True), "t", "s"),
        insert_sql(WriteOptions(method="sql_insert", mode="overwrite", replace_where="a > 0"), "t", "s"),
        *map(column_definition, VALUED),
        *map(analysed_default, VALUED),
        *map(generated_columns, VALUED),
    ]
    assert "\n".join([*queries, ""]) == reviewed


def test_changes_that_are_rendered_alone(reviewed):
    def sql(change):
        texts = [statement.sql for statement in rendered(NAME, change)]
        assert [part.sql for one in rendered(NAME, change) for part in statements_per_column(one)] == texts
        return texts

    by, case = (("p", "timestamp"), ("q", "int")), ReviewedCases(sql)
    for after in (None, "none"):
        case(f"mapping {after}", ColumnMappingRemoval(key="delta.columnMapping.mode", after=after))
    case("a folder", ConvertTable(source=SourceState("parquet", "/a"), partitions=by))
    in_place = SourceState("parquet", "/a", is_in_place=True)
    case("its own folder, without statistics", ConvertTable(source=in_place, statistics=False))
    case("a table", ConvertTable(source=SourceState("parquet", "/a", is_registered=True), partitions=by))
    case("a folder of Delta", ConvertTable(source=SourceState("delta", "/a")))
    assert case.text == reviewed


def test_no_statement_has_a_column_and_something_below_it():
    def batched(*paths):
        return [[str(path) for path in group] for group in batched_paths(map(ColumnPath.parse, paths))]

    with cases(batched) as case:
        case([])
        case("a", "b", [["a", "b"]])
        case("a.x", "a.y", [["a.x", "a.y"]])
        case("a.x", "a", "b", [["a", "b"], ["a.x"]])
        case("a", "a.x.y", "a.x", "b.z", [["a", "b.z"], ["a.x"], ["a.x.y"]])
        case("a", "ab.x", [["a", "ab.x"]])


def test_statements_about_several_columns_are_split_per_column(reviewed):
    field = spark.StructField("f", spark.LongType())
    commented = spark.StructField("f", spark.LongType(), metadata={"comment": "F"})
    before = table(
        Column("a", "int"),
        Column("b", "smallint", default=1),
        Column("s", spark.StructType([field])),
        table_properties=BOTH,
    )
    after = table(
        Column("a", "bigint", is_nullable=False, comment="A"),
        Column("b", "int", is_nullable=False, default=2),
        Column("s", spark.StructType([commented]), default="null"),
        table_properties=BOTH,
    )
    (action,) = TablePlanner(enable=["typeWidening"]).plan([after], catalog(desired_state(before))).actions
    several = [statement for statement in statements(action) if statement.kind in TOGETHER]
    single = [one for statement in several for one in statements_per_column(statement)]
    assert "\n".join([*(statement.sql for statement in (*several, *single)), ""]) == reviewed
    assert {statement.kind for statement in single} == {statement.kind for statement in several}


def test_timestamps_that_files_name_without_a_zone_are_found_in_the_log():
    assert texts_without_zone(["a'b", "c"]) == (
        "coalesce(bool_or(partitionValues['a\\'b'] NOT RLIKE '(Z|[+-][0-9][0-9]:?[0-9][0-9])$'"
        " OR partitionValues['c'] NOT RLIKE '(Z|[+-][0-9][0-9]:?[0-9][0-9])$'), false)"
    )


LOST = {
    "string": "coalesce(`p` IN ('', '__HIVE_DEFAULT_PARTITION__'), false)",
    "char(5)": "coalesce(concat(`p`, '') IN ('', '__HIVE_DEFAULT_PARTITION__'), false)",
    "timestamp": "coalesce(`p` < TIMESTAMP '0001-01-01 00:00:00Z', false)",
    "binary": (
        "coalesce((`p` IN (X'', CAST('__HIVE_DEFAULT_PARTITION__' AS BINARY))"
        " OR NOT is_valid_utf8(CAST(`p` AS STRING))), false)"
    ),
}


def test_values_that_a_partition_does_not_keep():
    for data_type, lost in LOST.items():
        data_check = PartitionValue(column="p", data_type=data_type)
        assert count_rows("`t`", [data_check]) == (
            f"SELECT count(*) AS value_0, count_if({lost}) AS value_1 FROM `t`"  # noqa: S608
        )
        assert select_violations(NAME, data_check) == f"SELECT * FROM `dev`.`silver`.`orders` WHERE {lost}"  # noqa: S608


def test_folders_are_queried_by_their_format():
    assert (delta_files("/a `b`"), parquet_files("/c")) == ("delta.`/a ``b```", "parquet.`/c`")


XY = StructState((ColumnState("x", "int", True, ""), ColumnState("y's", "string", True, "")))


def test_a_value_is_written_in_its_type():
    with cases(value_sql) as case:
        case(None, "int", "CAST(NULL AS INT)")
        case(None, ArrayState("int", True), "CAST(NULL AS ARRAY<INT>)")
        case(True, "boolean", "TRUE")
        case(1, "tinyint", "1Y")
        case(3, "int", "3")
        case(4, "bigint", "4L")
        case(-(2**63), "bigint", "CAST(-9223372036854775808 AS BIGINT)")
        case(Decimal("1.50"), "decimal(10,2)", "CAST(1.50 AS DECIMAL(10,2))")
        case(1.5, "double", "CAST('1.5' AS DOUBLE)")
        case(float("nan"), "float", "CAST('nan' AS FLOAT)")
        case("it's", "string", "'it\\'s'")
        case("a", "varchar(5)", "CAST('a' AS VARCHAR(5))")
        case(b"\x01\xff", "binary", "X'01FF'")
        case(date(2024, 1, 2), "date", "DATE'2024-01-02'")
        case(datetime(2024, 1, 2), "timestamp_ntz", "CAST('2024-01-02 00:00:00' AS TIMESTAMP_NTZ)")  # noqa: DTZ001
        case({"x": 1}, XY, "named_struct('x', 1, 'y\\'s', CAST(NULL AS STRING))")
        case((1, "a"), XY, "named_struct('x', 1, 'y\\'s', 'a')")
        case([1, None], ArrayState("int", True), "array(1, CAST(NULL AS INT))")
        case([], ArrayState("int", True), "CAST(array() AS ARRAY<INT>)")
        case({"a": 1}, MapState("string", "int", True), "map('a', 1)")
        case({}, MapState("string", "int", True), "CAST(map() AS MAP<STRING, INT>)")

"""Statements that people and Databricks write, as models."""

from __future__ import annotations

import gc
import logging
from dataclasses import replace
from itertools import product
from pathlib import Path

from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    Identity,
    PrimaryKey,
    QualifiedName,
    Table,
    Unique,
    UnknownType,
)
from pytest_delta_schema.backends.kit import created_state
from pytest_delta_schema.diagnostics.errors import DdlError
from pytest_delta_schema.exchange import from_ddl
from pytest_delta_schema.exchange.statements import parse_databricks_type
from pytest_delta_schema.state import (
    ArrayState,
    CheckState,
    ColumnGeneration,
    ColumnPath,
    ColumnState,
    ForeignKeyState,
    IdentityState,
    KeyState,
    MapState,
    StructState,
    TableState,
)
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import assert_rows, blocks_in, cases, refusal
from support.snapshots import ReviewedCases
from support.strategies import NAMED

REMOVE = "remove the statement"
SKIP = f"{REMOVE}, or skip such statements by --skip-other"
TABLE = "CREATE TABLE dev.s.t (a INT);"
NAMES = "write catalog.schema.table, or give the catalog and the schema of such names"


SHOWN, ALTERED, FROM_CATALOG = blocks_in(Path(__file__).with_name("statements.txt")).values()


def faults_of(text: str, **options: bool) -> str:
    return refusal(lambda: from_ddl(text, **options), error=DdlError)


INSIDE = "< /* a comment, with > and '*/ "
"""The beginning of a nested type, and a comment inside of it."""

CLAUSES = ("", " NOT NULL", " COMMENT 'int>'", " NOT NULL COMMENT 'a' DEFAULT NULL", " GENERATED ALWAYS AS (a < b)")


def test_a_type_is_the_same_in_a_model_in_a_script_and_as_databricks_shows_it():
    for text, kind in NAMED.items():
        declared = Table("dev", "s", "t", [Column("c", kind)])
        expected = ColumnState("c", desired_state(declared).columns[0].data_type, True, "")
        for written, clauses in product((text, text.replace("<", INSIDE)), CLAUSES):
            statement = f"CREATE TABLE dev.s.t (`c` {written}{clauses}, d INT)"
            (model,) = from_ddl(statement)
            columns = (*desired_state(model).columns, *created_state(statement, declared.name).columns)

            assert [Column("c", written).data_type, *(column.name for column in columns)] == [kind, *"cdcd"]
            assert columns[0] == columns[2]
            assert columns[0]._replace(is_nullable=True, comment="", value=None) == expected


def test_what_databricks_shows_of_a_table(caplog):
    (table,) = from_ddl(SHOWN)

    assert desired_state(table) == desired_state(
        Table(
            "main",
            "shop",
            "orders",
            [
                Column("id", "bigint", is_nullable=False, comment="Order"),
                Column("mail", "string", comment="It's theirs"),
                Column("address", "struct<street: string comment 'a, b > c', zip: int not null, tags: array<string>>"),
                Column("total", "decimal(18,2)", default="0"),
                Column("day", "date", generated_as="CAST(created AS DATE)"),
                Column("created", "timestamp"),
            ],
            comment="All orders",
            table_properties={"delta.appendOnly": "true", "team": "sales"},
            primary_key=PrimaryKey(["id"], rely=True),
            checks=[Check("positive", "total > 0")],
            foreign_keys=[ForeignKey(["id"], "main.shop.customers", ["id"], name="to_customers")],
            clustered_by=["day", "address.zip"],
        )
    )
    assert [record.getMessage() for record in caplog.records] == [
        "main.shop.orders: its LOCATION is not declared: a new table is stored where its catalog puts it",
        "main.shop.orders: its ROW FILTER main.shop.mine ON (mail) is not declared",
        "main.shop.orders: its properties delta.columnMapping.maxColumnId, delta.feature.clustering, delta.minReaderVersion, delta.minWriterVersion, transient_lastDdlTime are not declared: the platform writes them",
    ]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


def columns_of(text: str) -> list[Column]:
    (table,) = from_ddl(f"CREATE TABLE dev.s.t ({text})")
    return list(table.columns)


def test_columns():
    rows = [
        ("comment STRING COMMENT 'x'", Column("comment", "string", comment="x")),
        ("`a.b``c` INT NULL", Column("a.b`c", "int")),
        ("c STRING COMMENT 'it''s'", Column("c", "string", comment="it's")),
        ('c STRING COMMENT "it\'s ""x"""', Column("c", "string", comment='it\'s "x"')),
        ("c STRING COMMENT 'a\\n\\u00e4\\\\'", Column("c", "string", comment="a\nä\\")),
        ("c STRING NOT NULL COLLATE UTF8_LCASE", Column("c", UnknownType("string collate UTF8_LCASE"), False)),
        ("c INT DEFAULT NULL", Column("c", "int", default="NULL")),
        ("c INT DEFAULT f(1, 2) -- two\n NOT NULL", Column("c", "int", False, default="f(1, 2) -- two")),
        ("c BOOLEAN DEFAULT 1 IS NOT NULL NOT NULL", Column("c", "boolean", False, default="1 IS NOT NULL")),
        ("c STRING DEFAULT 'x' COMMENT 'y'", Column("c", "string", comment="y", default="'x'")),
        ("c BIGINT GENERATED ALWAYS AS IDENTITY", Column("c", "bigint", identity=Identity())),
        (
            "c BIGINT GENERATED BY DEFAULT AS IDENTITY (INCREMENT BY -2, START WITH 0)",
            Column("c", "bigint", identity=Identity(start=0, step=-2, always=False)),
        ),
        ("c STRUCT<a INT, b: MAP<STRING,ARRAY<INT>>>", Column("c", "struct<a: int, b: map<string, array<int>>>")),
        ("c INT DEFAULT array(1, 2)[0]", Column("c", "int", default="array(1, 2)[0]")),
    ]

    assert [columns_of(f"{text}, other INT")[:-1] for text, _ in rows] == [[column] for _, column in rows]


def constraints_of(text):
    (table,) = from_ddl(f"CREATE TABLE dev.s.t (b INT, {text})")
    return {name: getattr(table, name) for name in ("primary_key", "unique", "checks") if getattr(table, name)}


def test_constraints():
    rows = [
        ("a INT PRIMARY KEY", {"primary_key": ("a",)}),
        ("a INT CONSTRAINT k PRIMARY KEY RELY", {"primary_key": PrimaryKey(("a",), name="k", rely=True)}),
        ("a INT, PRIMARY KEY (a, b) NOT ENFORCED INITIALLY DEFERRED NORELY", {"primary_key": ("a", "b")}),
        ("a INT, CONSTRAINT u UNIQUE (a)", {"unique": (Unique(["a"], name="u"),)}),
        ("a INT UNIQUE", {"unique": (Unique(["a"]),)}),
        ("a INT CONSTRAINT `c d` CHECK (a > (1)) ENFORCED", {"checks": (Check("c d", "a > (1)"),)}),
        ("a INT, CONSTRAINT c CHECK ( a IN (1, 2) )", {"checks": (Check("c", "a IN (1, 2)"),)}),
    ]

    assert_rows(rows, constraints_of)


def test_foreign_keys():
    def key_of(text):
        (table,) = from_ddl(f"CREATE TABLE t ({text})", catalog_name="dev", schema_name="s")
        (key,) = table.foreign_keys
        assert key.columns == ("a",)
        return key.name, key.references, key.parent_columns, key.rely

    with cases(key_of) as case:
        case("a INT REFERENCES p", (None, "dev.s.p", (), False))
        rest = "MATCH FULL ON DELETE NO ACTION RELY"
        case(f"a INT FOREIGN KEY REFERENCES x.p (b) {rest}", (None, "dev.x.p", ("b",), True))
        case("a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES o.x.p(b)", ("f", "o.x.p", ("b",), False))


def test_ways_to_create_a_table():
    for text in (
        "CREATE TABLE dev.s.t (a INT)",
        "create or replace table dev.s.t (a int) using delta",
        "CREATE TABLE IF NOT EXISTS DEV.S.`T` (a INT) USING DELTA DEFAULT COLLATION UTF8_BINARY CLUSTER BY NONE",
        "REPLACE TABLE dev.s.t (a INT)",
        "USE CATALOG dev; USE SCHEMA s; CREATE TABLE t (a INT)",
        "SET CATALOG dev; USE s; CREATE TABLE t (a INT)",
        "CREATE SCHEMA IF NOT EXISTS dev.s; CREATE TABLE dev.s.t (a INT)",
        "CREATE DATABASE dev.s; -- ; \n CREATE TABLE dev.s.t\n(a INT)",
    ):
        assert from_ddl(text) == [Table("dev", "s", "t", [Column("a", spark.IntegerType())])]


def test_properties_are_texts_numbers_and_booleans():
    text = "TBLPROPERTIES ('a' = 'x', b.c = -1.5, `d`='y', delta.appendOnly TRUE, 'e' 'z')"

    (table,) = from_ddl(f"CREATE TABLE dev.s.t (a INT, b INT, c INT) PARTITIONED BY (b, a) {text}")

    assert table.partitioned_by == ("b", "a")
    assert table.table_properties == {"a": "x", "b.c": "-1.5", "d": "y", "delta.appendOnly": "true", "e": "z"}


def test_features_that_people_write_are_declared():
    text = "'delta.feature.timestampNtz' = 'supported', 'delta.feature.allowColumnDefaults' = 'supported'"

    (table,) = from_ddl(f"CREATE TABLE dev.s.t (a INT DEFAULT 1) TBLPROPERTIES ({text})")

    assert table.table_properties == {"delta.feature.timestampNtz": "supported"}


def test_alterations_are_part_of_the_declaration():
    (table,) = from_ddl(ALTERED)

    inner = spark.StructType([spark.StructField("g", spark.IntegerType(), metadata={"comment": "deep"})])
    fields = spark.StructField("f", spark.ArrayType(inner), metadata={"comment": "the fields"})
    assert table == Table(
        "dev",
        "s",
        "t",
        [
            Column("first", "int", comment="x"),
            Column("id", "bigint", is_nullable=False, tags={"level": "3"}),
            Column("after", "string", default="concat('a', 'b')"),
            Column("s", spark.StructType([fields])),
            Column("d", "int"),
            Column("last", "bigint"),
        ],
        comment="All",
        table_properties={"b": "2", "c": "3"},
        primary_key=["id"],
        checks=[Check("positive", "id > 0")],
        clustered_by=["id"],
        tags={"team": "x"},
    )


def test_what_a_model_does_not_declare_is_named(caplog, reviewed):
    def remarks(text):
        caplog.clear()
        commented = {table.comment for table in from_ddl(text)}
        assert commented <= ({"x"} if "COMMENT 'x'" in text and "MASK" not in text else {""})
        return caplog.messages

    case = ReviewedCases(remarks)
    for text in (
        *("CREATE SCHEMA dev.s COMMENT 'x'", "CREATE DATABASE dev.s LOCATION 's3://x'"),
        "CREATE SCHEMA dev.s WITH DBPROPERTIES ('a' = 'b')",
        *(
            "CREATE SCHEMA dev.s DEFAULT COLLATION x",
            "COMMENT ON SCHEMA dev.s IS 'x'",
            "COMMENT ON CATALOG dev IS NULL",
        ),
        "CREATE TABLE dev.s.t (a INT MASK dev.s.f USING COLUMNS (b, c) COMMENT 'x')",
        "CREATE TABLE dev.s.t (a INT, CONSTRAINT u UNIQUE (a) RELY)",
        "CREATE TABLE dev.s.t (a INT, b DATE, PRIMARY KEY (a, b TIMESERIES))",
        "CREATE TABLE dev.s.t (a INT) WITH ROW FILTER f ON ()",
        "CREATE TABLE dev.s.t (a INT) OPTIONS (x 'y', z = 1)",
        "CREATE TABLE dev.s.t (a INT) CLUSTER BY AUTO",
        "CREATE TABLE dev.s.t (a INT, CONSTRAINT c CHECK (a > 0) NOT ENFORCED NORELY)",
        "CREATE EXTERNAL TABLE dev.s.t (a INT) LOCATION 's3://b/t' WITH (CREDENTIAL c) COMMENT 'x'",
    ):
        case(text, text)
    assert case.text == reviewed


OTHERS = [
    *("SELECT * FROM dev.s.t", "INSERT INTO dev.s.t VALUES (1, ';')", "GRANT SELECT ON TABLE dev.s.t TO `a b`"),
    *("DESCRIBE dev.s.t", "OPTIMIZE dev.s.t ZORDER BY (a)", "SHOW TABLES IN dev.s", "DROP TABLE IF EXISTS dev.s.other"),
    *("DROP VIEW dev.s.v", "WITH x AS (SELECT 1) SELECT * FROM x", "MERGE INTO dev.s.t USING x ON a = b WHEN MATCHED"),
    *("VACUUM dev.s.t", "SET spark.x = 1", "ANALYZE TABLE dev.s.t COMPUTE STATISTICS", "DROP TABLE dev.s.other"),
]


def test_statements_that_declare_nothing_are_skipped_if_that_is_wanted(caplog):
    for other in OTHERS:
        caplog.clear()
        word = other.partition(" ")[0]
        text = f"{other}; {TABLE} {other}"

        assert from_ddl(text, skip_other=True) == from_ddl(TABLE)

        assert caplog.messages == [f"statement {number}: {word} declares nothing, and is skipped" for number in (1, 3)]
        faults = [line.partition(": ")[2] for line in faults_of(text).split("\n")]
        assert faults == [f"{word} is not part of a declaration; {SKIP}"] * 2


def test_statements_that_may_change_what_is_declared_are_never_skipped():
    def fault(text):
        return faults_of(f"{TABLE} {text}", skip_other=True).removeprefix("statement 2, line 1: ")

    with cases(fault) as case:
        case("DROP TABLE IF EXISTS dev.s.T", "dev.s.t is created before, and dropped here; remove both statements")
        case("DROP SCHEMA dev.s CASCADE", f"DROP SCHEMA may drop tables that are created before; {REMOVE}")
        case("DROP CATALOG IF EXISTS dev", f"DROP CATALOG may drop tables that are created before; {REMOVE}")
        case("ALTER VIEW dev.s.v RENAME TO w", f"ALTER is not part of a declaration; {REMOVE}")
        case("CREATE VIEW dev.s.v AS SELECT 1", f"dev.s.v is a VIEW, and models declare Delta tables; {REMOVE}")
        case("FOO", f"FOO is not part of a declaration; {REMOVE}")


def test_the_cells_of_a_notebook_end_statements(caplog):
    text = """\
-- Databricks notebook source
-- MAGIC %md
-- MAGIC # Tables; of `dev`

-- COMMAND ----------

USE CATALOG dev

-- COMMAND ----------
CREATE TABLE s.a (a INT COMMENT 'x
-- COMMAND ----------
y')
-- COMMAND ----------

-- COMMAND ----------
COMMENT ON SCHEMA s IS 'x';
CREATE TABLE s.b (a INT)
"""
    assert [(table.qualified_name, table.columns[0].comment) for table in from_ddl(text)] == [
        ("dev.s.a", "x\n-- COMMAND ----------\ny"),
        ("dev.s.b", ""),
    ]
    assert caplog.messages == ["statement 3: the comment of a schema is not declared"]
    assert faults_of(text.partition("\n")[2]) == (
        "statement 1, line 9: CREATE TABLE begins another statement; end the statement before it with a semicolon\n"
        f"statement 2, line 16: the name s.b lacks its catalog; {NAMES}"
    )


def test_a_garbage_collector_that_is_off_stays_off():
    gc.disable()
    try:
        from_ddl(TABLE)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_cannot_be_read_is_refused():
    with cases(lambda text: f"{faults_of(text)}\n") as case:
        for text, fault in blocks_in(Path(__file__).with_name("unreadable.txt")).items():
            case(text, fault)
        deep = "types are nested more than 100 deep; write the inner ones as objects of pyspark.sql.types"
        start = "statement 1, line 1: column a: its type is not understood:"
        case(f"CREATE TABLE dev.s.t (a {'ARRAY<' * 1000}INT{'>' * 1000})", f"{start} {deep}\n")
        case("/* 'a' */ -- \"\n SELECT `a``", "script, line 2: a quote is not closed; close it\n")


NAME = QualifiedName("dev", "silver", "t")


def test_a_statement_of_a_catalog_is_a_state():
    fields = (
        ColumnState("from", "string", is_nullable=False, comment="it's"),
        ColumnState("y", ArrayState(MapState("string", "int", True), True), is_nullable=True, comment=""),
    )

    assert created_state(FROM_CATALOG, NAME) == TableState(
        name=NAME,
        columns=(
            ColumnState("id", "bigint", False, "a, b (c"),
            ColumnState("select", "string", True, "A word", ColumnGeneration("'x'")),
            ColumnState("a`b", StructState(fields), True, ""),
            ColumnState("twice", "date", True, "", ColumnGeneration(generated="CAST(ts AS DATE)")),
            ColumnState(
                "q", "string collate UTF8_LCASE", True, "g", ColumnGeneration(generated="concat('it''s', ')', s)")
            ),
            ColumnState("n", "bigint", True, "", ColumnGeneration(identity=IdentityState(-5, -2, is_always=False))),
            ColumnState("m", "bigint", True, "", ColumnGeneration(identity=IdentityState(1, 1, is_always=True))),
            ColumnState("ts", "timestamp", True, ""),
        ),
        primary_key=KeyState("rely", ("id", "ts"), rely=True),
        foreign_keys=(ForeignKeyState("fk", ("m",), QualifiedName("a", "b", "c"), ("x",)),),
        checks=(CheckState("small", "id < 9"),),
    )


def test_a_statement_of_a_catalog_is_read_whatever_follows_its_columns():
    plain = created_state(FROM_CATALOG, NAME)

    def following(rest):
        observed = created_state(FROM_CATALOG + rest, NAME)
        assert replace(observed, clustering=(), table_properties={}, table_comment="") == plain
        return observed.clustering, dict(observed.table_properties)

    with cases(following) as case:
        case("WITH ROW FILTER dev.silver.f ON (id, ts)", ((), {}))
        clustered = (ColumnPath("id"), ColumnPath("a`b", "from"))
        case("DEFAULT COLLATION UTF8_LCASE CLUSTER BY (id, `a``b`.from)", (clustered, {}))
        properties = "TBLPROPERTIES ('a' = 'b', 'c' = 'CLUSTER BY (x)')"
        case(f"CLUSTER BY AUTO\n{properties}", ((), {"a": "b", "c": "CLUSTER BY (x)"}))
        unknown = "WITH SOMETHING NEW (CLUSTER BY (x)) COMMENT 'c'"
        case(f"{unknown}\nTBLPROPERTIES ('a' = 'b')", ((), {"a": "b"}))


def test_a_statement_of_a_catalog_that_is_not_understood_is_an_error():
    faults = {
        "": "CREATE TABLE is expected at the end",
        "CREATE VIEW v AS SELECT 1": "CREATE TABLE is expected at 'CREATE'",
        "CREATE TABLE t": "dev.silver.t has no columns",
        "CREATE TABLE ((": "the name of a table is expected at '('",
        "CREATE TABLE t (a INT, b INT": "a parenthesis is not closed",
        "CREATE TABLE t ()": "the name of a column is expected at the end",
        "CREATE TABLE t (a INT, b INT NEW CLAUSE)": "column b: 'NEW CLAUSE' is not understood",
        "CREATE TABLE t (a INT) USING csv": "dev.silver.t is stored as csv",
        "CREATE TABLE t (a INT) TBLPROPERTIES ('a'": "a parenthesis is not closed",
    }
    start = "its CREATE statement, line 1 cannot be understood: "
    for created, fact in faults.items():
        assert refusal(created_state, created, NAME, error=ValueError).startswith(start + fact), created


def test_types_are_read_as_they_are_written():
    def old(name, data_type, *, is_nullable=True, comment=""):
        return ColumnState(name, data_type, is_nullable=is_nullable, comment=comment)

    inner = StructState((old("x", "decimal(9,3)"), old("v", "variant"), old("n", "void")))
    nested = "struct<a:int,`b.c`:struct<x:decimal(9,3),v:variant,n:void>>"
    expected = {
        "bigint": "bigint",
        "NEW_TYPE(3)": "new_type(3)",
        "DECIMAL(10, 2)": "decimal(10,2)",
        "timestamp_ntz": "timestamp_ntz",
        "array<varchar(5)>": ArrayState("varchar(5)", contains_null=True),
        "map<string,timestamp>": MapState("string", "timestamp", value_contains_null=True),
        nested: StructState((old("a", "int"), old("b.c", inner))),
        "struct<a: int NOT NULL COMMENT 'it\\'s'>": StructState((old("a", "int", is_nullable=False, comment="it's"),)),
    }

    assert {text: parse_databricks_type(text) for text in expected} == expected
    assert refusal(parse_databricks_type, "array<>", error=ValueError) == "type array<> cannot be understood"

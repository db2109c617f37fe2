"""Declarations that are edited: what is written before and after, and what is refused."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Identity, Parquet, PrimaryKey, Table, Unique, UnknownType
from pytest_delta_schema.source_code.calls import Variable
from pytest_delta_schema.source_code.edits import edited_declaration, hand_written
from pytest_delta_schema.source_code.modules import module_source
from pytest_delta_schema.source_code.text import CodeStyle, NotLiteralError
from pytest_delta_schema.state.desired import declared_table
from support.case_tables import named_cases
from support.strategies import models, states

IMPORTS = """\
from pyspark.sql.types import *
from pytest_delta_schema import *
"""


def made(source: str | bytes) -> dict[str, Table]:
    namespace: dict[str, object] = {}
    exec(compile(source, "contracts.py", "exec"), namespace)  # noqa: S102 - what is tested
    return {name: value for name, value in namespace.items() if isinstance(value, Table)}


def edited(source: str, changes, **options) -> str:
    """Return a source whose variable ``t`` has changed values; it is proven that it has, and no others."""
    declared = made(source)["t"]
    wanted = replace(declared, **(changes(declared) if callable(changes) else changes))
    content = edited_declaration(source.encode(), declared.origin.line, declared, wanted, **options)
    assert made(content)["t"] == wanted
    return content.decode()


def with_columns(*columns: Column):
    return {"columns": columns}


def column(position: int, **changes):
    """Return what changes one column of a table."""

    def changed(table: Table):
        columns = list(table.columns)
        columns[position] = replace(columns[position], **changes)
        return {"columns": columns}

    return changed


ID = Column("id", spark.LongType())
NAME = Column("name", spark.StringType())
AGE = Column("age", spark.LongType())
LINES = """\
t = Table(
    "dev",
    "s",
    "t",
    [
        Column("id", LongType()),  # the key

        # who it is
        Column("name", StringType()),
    ],
)
"""
CASES = {
    "a comment of one line": (
        't = Table("dev", "s", "t", [Column("id", LongType(), comment = "a" "b" )])  # end\n',
        column(0, comment="c"),
        't = Table("dev", "s", "t", [Column("id", LongType(), comment = "c" )])  # end\n',
    ),
    "in parentheses": (
        't = Table("dev", "s", "t", [(Column("id", (LongType()), comment=("a"\n    "b")))])\n',
        column(0, comment="c", data_type=spark.StringType()),
        't = Table("dev", "s", "t", [(Column("id", (StringType()), comment=("c")))])\n',
    ),
    "with backslashes": (
        't = \\\n  Table("dev", "s", \\\n  "t", [Column("id", \\\n LongType())])\n',
        {"comment": "x"},
        't = \\\n  Table("dev", "s", \\\n  "t", [Column("id", \\\n LongType())], comment="x")\n',
    ),
    "an argument more in one line": (
        't = Table("dev", "s", "t", [Column("id", LongType())])\n',
        column(0, comment="c", is_nullable=False),
        't = Table("dev", "s", "t", [Column("id", LongType(), is_nullable=False, comment="c")])\n',
    ),
    "an argument more in its line": (
        LINES,
        {"primary_key": ["id"], "comment": "x"},
        LINES.replace("    ],\n)", '    ],\n    comment="x",\n    primary_key=["id"],\n)'),
    ),
    "an argument more without a comma at the end": (
        't = Table(\n  "dev",\n  "s",\n  "t",\n  [Column("id", LongType())]  # all\n  # end\n)\n',
        {"comment": "x"},
        't = Table(\n  "dev",\n  "s",\n  "t",\n  [Column("id", LongType())],  # all\n  comment="x"\n  # end\n)\n',
    ),
    "an argument less": (
        't = Table("dev", "s", "t", [Column("id", LongType(), False, comment="a")], comment="x")\n',
        lambda table: {"comment": "", **column(0, comment="", is_nullable=True)(table)},
        't = Table("dev", "s", "t", [Column("id", LongType())])\n',
    ),
    "an argument less in its line": (
        't = Table(\n\t"dev", "s", "t",\n\t[Column("id", LongType())],\n\tcomment="x",  # why\n\ttags={"a": "b"},\n)\n',
        {"comment": ""},
        't = Table(\n\t"dev", "s", "t",\n\t[Column("id", LongType())],\n\ttags={"a": "b"},\n)\n',
    ),
    "a default that is written": (
        't = Table("dev", "s", "t", [Column("id", LongType(), True, comment=None)], checks=[], tags={}, comment="")\n',
        lambda table: {
            "checks": [Check("c", "id > 0")],
            "tags": {"a": None},
            "comment": "x",
            **column(0, is_nullable=False, comment="y")(table),
        },
        (
            't = Table("dev", "s", "t", [Column("id", LongType(), False, comment="y")], checks=[Check("c", "id > 0")],'
            ' tags={"a": None}, comment="x")\n'
        ),
    ),
    "a positional argument in the middle": (
        't = Table("dev", "s", "t", [Column("a", StructType([StructField("f", LongType(), False, {"comment": "x"})]))])\n',
        column(0, data_type=spark.StructType([spark.StructField("f", spark.LongType(), True, {"comment": "x"})])),
        't = Table("dev", "s", "t", [Column("a", StructType([StructField("f", LongType(), True, {"comment": "x"})]))])\n',
    ),
    "columns less": (
        LINES,
        with_columns(ID),
        LINES.replace('\n        # who it is\n        Column("name", StringType()),\n', "\n        # who it is\n"),
    ),
    "the first column less": (
        LINES,
        with_columns(NAME),
        LINES.replace('        Column("id", LongType()),  # the key\n', ""),
    ),
    "a column less in one line": (
        't = Table("dev", "s", "t", [Column("id", LongType()), Column("name", StringType()), Column("age", LongType())])\n',
        with_columns(ID, AGE),
        't = Table("dev", "s", "t", [Column("id", LongType()), Column("age", LongType())])\n',
    ),
    "the first and the last column less in one line": (
        't = Table("dev", "s", "t", [Column("id", LongType()), Column("name", StringType()), Column("age", LongType())])\n',
        with_columns(NAME),
        't = Table("dev", "s", "t", [Column("name", StringType())])\n',
    ),
    "a column less whose line has others": (
        't = Table("dev", "s", "t", [\n  Column("id", LongType()), Column("name", StringType()),  # both\n  Column("age", LongType())])\n',
        with_columns(ID, AGE),
        't = Table("dev", "s", "t", [\n  Column("id", LongType()),  # both\n  Column("age", LongType())])\n',
    ),
    "the first column less of a line": (
        't = Table("dev", "s", "t", [\n  Column("id", LongType()), Column("name", StringType()),  # both\n  Column("age", LongType())])\n',
        with_columns(NAME, AGE),
        't = Table("dev", "s", "t", [\n  Column("name", StringType()),  # both\n  Column("age", LongType())])\n',
    ),
    "columns more": (
        LINES,
        with_columns(Column("x", spark.DateType()), ID, AGE, NAME, Column("y", spark.DecimalType(3, 1))),
        LINES.replace("    [\n", '    [\n        Column("x", DateType()),\n')
        .replace("# the key\n", '# the key\n        Column("age", LongType()),\n')
        .replace("StringType()),\n", 'StringType()),\n        Column("y", DecimalType(3, 1)),\n'),
    ),
    "columns more behind the bracket": (
        't = Table("dev", "s", "t",\n          [Column("id", LongType()),\n           Column("name", StringType())])\n',
        with_columns(Column("x", spark.DateType()), ID, NAME, AGE),
        (
            't = Table("dev", "s", "t",\n          [Column("x", DateType()),\n           Column("id", LongType()),\n'
            '           Column("name", StringType()),\n           Column("age", LongType())])\n'
        ),
    ),
    "columns in another order": (
        LINES,
        with_columns(NAME, ID),
        """\
t = Table(
    "dev",
    "s",
    "t",
    [

        # who it is
        Column("name", StringType()),
        Column("id", LongType()),  # the key
    ],
)
""",
    ),
    "columns in another order in one line": (
        't = Table("dev", "s", "t", columns=( Column("id", LongType()), Column("name", StringType()) ))\n',
        with_columns(NAME, ID),
        't = Table("dev", "s", "t", columns=( Column("name", StringType()), Column("id", LongType()) ))\n',
    ),
    "columns in another order behind the bracket": (
        't = Table("dev", "s", "t",\n  [Column("id", LongType()),  # a\n   Column("name", StringType())  # b\n  ])\n',
        with_columns(NAME, ID),
        't = Table("dev", "s", "t",\n  [Column("name", StringType()),  # b\n   Column("id", LongType())  # a\n  ])\n',
    ),
    "columns in another order that share lines": (
        't = Table("dev", "s", "t", [\n  Column("a", "int"), Column("b", "int"),  # b\n  Column("c", "int"), Column("d", "int")])\n',
        with_columns(*(Column(name, spark.IntegerType()) for name in "abdc")),
        't = Table("dev", "s", "t", [\n  Column("a", "int"), Column("b", "int"),  # b\n  Column("d", "int"),\n  Column("c", "int")])\n',
    ),
    "a column in another case": (
        LINES,
        column(0, name="ID"),
        LINES.replace('"id"', '"ID"'),
    ),
    "the last of a tuple": (
        't = Table("dev", "s", "t", (Column("id", LongType()), Column("name", StringType())))\n',
        with_columns(NAME),
        't = Table("dev", "s", "t", (Column("name", StringType()),))\n',
    ),
    "a type as a text": (
        't = Table("dev", "s", "t", [Column("a", "Decimal(10, 2)"), Column("b", "struct<x: int>")])\n',
        lambda table: {
            "columns": [
                replace(table.columns[0], data_type=spark.DecimalType(12, 2)),
                replace(table.columns[1], data_type=spark.ArrayType(spark.LongType(), containsNull=False)),
            ],
        },
        't = Table("dev", "s", "t", [Column("a", "decimal(12,2)"), Column("b", ArrayType(LongType(), containsNull=False))])\n',
    ),
    "the innermost part of a type": (
        (
            't = Table("dev", "s", "t", [Column("a", MapType( StringType(), ArrayType(StructType([\n'
            '    StructField("x", DecimalType( 10, 2 )),  # x\n    StructField("y", LongType()),\n]))))])\n'
        ),
        column(
            0,
            data_type=spark.MapType(
                spark.StringType(),
                spark.ArrayType(
                    spark.StructType(
                        [
                            spark.StructField("x", spark.DecimalType(12, 2)),
                            spark.StructField("y", spark.LongType(), nullable=False),
                            spark.StructField("z", spark.DateType()),
                        ],
                    ),
                ),
            ),
        ),
        (
            't = Table("dev", "s", "t", [Column("a", MapType( StringType(), ArrayType(StructType([\n'
            '    StructField("x", DecimalType( 12, 2 )),  # x\n    StructField("y", LongType(), nullable=False),\n'
            '    StructField("z", DateType()),\n]))))])\n'
        ),
    ),
    "arguments of a type by position or by name": (
        (
            't = Table("dev", "s", "t", [Column("a", DecimalType()), Column("b", DecimalType(precision=10)),'
            ' Column("c", DecimalType(10)), Column("d", StringType())])\n'
        ),
        lambda table: {
            "columns": [
                *(replace(item, data_type=spark.DecimalType(10 + n, 2)) for n, item in enumerate(table.columns[:3])),
                replace(table.columns[3], data_type=spark.StringType("UTF8_LCASE")),
            ],
        },
        (
            't = Table("dev", "s", "t", [Column("a", DecimalType(scale=2)), Column("b", DecimalType(precision=11, scale=2)),'
            ' Column("c", DecimalType(12, 2)), Column("d", StringType("UTF8_LCASE"))])\n'
        ),
    ),
    "properties": (
        't = Table("dev", "s", "t", [Column("id", LongType())], table_properties={\n    "a": "1",  # one\n    ("b"): ("2"),\n    "c": -3,\n})\n',
        {"table_properties": {"b": "3", "c": -3, "d": None}},
        't = Table("dev", "s", "t", [Column("id", LongType())], table_properties={\n    ("b"): ("3"),\n    "c": -3,\n    "d": None,\n})\n',
    ),
    "properties in one line": (
        't = Table("dev", "s", "t", [Column("id", LongType())], table_properties={"a": "1","b": "2"})\n',
        {"table_properties": {"a": "1", "x": True, "b": "2"}},
        't = Table("dev", "s", "t", [Column("id", LongType())], table_properties={"a": "1","x": True,"b": "2"})\n',
    ),
    "no more properties": (
        't = Table("dev", "s", "t", [Column("id", LongType())],\n    table_properties={"a": "1"})\n',
        {"table_properties": {}},
        't = Table("dev", "s", "t", [Column("id", LongType())])\n',
    ),
    "a primary key": (
        't = Table("dev", "s", "t", [Column("id", LongType()), Column("b", LongType())], primary_key=("id",))\n',
        {"primary_key": ["id", "b"]},
        't = Table("dev", "s", "t", [Column("id", LongType()), Column("b", LongType())], primary_key=("id", "b",))\n',
    ),
    "a primary key with a name": (
        't = Table("dev", "s", "t", [Column("id", LongType())], primary_key=["id"])\n',
        {"primary_key": PrimaryKey(["id"], name="pk")},
        't = Table("dev", "s", "t", [Column("id", LongType())], primary_key=PrimaryKey(["id"], name="pk"))\n',
    ),
    "a primary key without its name": (
        't = Table("dev", "s", "t", [Column("id", LongType())], primary_key=PrimaryKey(columns=["id"], name="pk"))\n',
        {"primary_key": PrimaryKey(["ID"])},
        't = Table("dev", "s", "t", [Column("id", LongType())], primary_key=PrimaryKey(columns=["ID"]))\n',
    ),
    "an identity": (
        't = Table("dev", "s", "t", [Column("a", LongType(), identity=True), Column("b", LongType(), identity=Identity(1, step=2))])\n',
        lambda table: {
            "columns": [
                replace(table.columns[0], identity=Identity(5)),
                replace(table.columns[1], identity=Identity(3, -2)),
            ],
        },
        't = Table("dev", "s", "t", [Column("a", LongType(), identity=Identity(start=5)), Column("b", LongType(), identity=Identity(3, step=-2))])\n',
    ),
    "a default": (
        'from decimal import Decimal\nt = Table("dev", "s", "t", [Column("a", LongType(), default=-1), Column("b", LongType(), default=Decimal("1.5"))])\n',
        lambda table: {"columns": [replace(table.columns[0], default=True), replace(table.columns[1], default="2.5")]},
        'from decimal import Decimal\nt = Table("dev", "s", "t", [Column("a", LongType(), default=True), Column("b", LongType(), default="2.5")])\n',
    ),
    "what only some tables have": (
        't = Table("dev", "s", "t", [Column("a", UnknownType("x"))], owns=["columns"], clustered_by=["a"], convert_from="parquet")\n',
        {
            "columns": [Column("a", UnknownType("y"))],
            "owns": {"comments": "report"},
            "clustered_by": (),
            "convert_from": Parquet("/x"),
            "unique": [Unique(["a"])],
        },
        't = Table("dev", "s", "t", [Column("a", UnknownType("y"))], owns={"comments": "report"}, convert_from=Parquet("/x"), unique=[Unique(["a"])])\n',
    ),
    "hidden parts that stay": (
        (
            'COMMON = [Column("x", LongType())]\nPROPS = {"a": "1"}\nMORE = {"comment": "x"}\nt = Table("dev", *["s"], table_name="t", columns=[Column("id", LongType(), comment="a"), *COMMON, Column("name", StringType())],\n'
            '    table_properties={"b": "1", **PROPS, "c": "2"}, **MORE)\n'
        ),
        lambda table: {
            "columns": [replace(ID, comment="b"), AGE, table.columns[1], Column("z", spark.LongType())],
            "table_properties": {"b": "1", "a": "1", "c": "3", "d": "4"},
        },
        (
            'COMMON = [Column("x", LongType())]\nPROPS = {"a": "1"}\nMORE = {"comment": "x"}\nt = Table("dev", *["s"], table_name="t", columns=[Column("id", LongType(), comment="b"), Column("age", LongType()), *COMMON, Column("z", LongType())],\n'
            '    table_properties={"b": "1", **PROPS, "c": "3", "d": "4"}, **MORE)\n'
        ),
    ),
    "columns around hidden ones": (
        'COMMON = [Column("x", LongType())]\nt = Table("dev", "s", "t", [*COMMON, Column("id", LongType())])\n',
        lambda table: {"columns": [NAME, table.columns[0], AGE, ID]},
        'COMMON = [Column("x", LongType())]\nt = Table("dev", "s", "t", [Column("name", StringType()), *COMMON, Column("age", LongType()), Column("id", LongType())])\n',
    ),
    "empty lists": (
        't = Table("dev", "s", "t", [Column("a", StructType([]))], checks=[\n    # none yet\n], unique=[\n])\n',
        {
            "columns": [Column("a", spark.StructType([spark.StructField("x", spark.LongType())]))],
            "checks": [Check("c", "a is null")],
            "unique": [Unique(["a"])],
        },
        't = Table("dev", "s", "t", [Column("a", StructType([StructField("x", LongType())]))], checks=[\n    # none yet\n    Check("c", "a is null"),\n], unique=[\n    Unique(["a"]),\n])\n',
    ),
    "a renamed column stays where it is": (
        't = Table("dev", "s", "t", [\n    Column("nr", LongType(), comment="No."),  # of the till\n    Column("b", "int"),\n])\n',
        column(0, name="number", renamed_from="nr"),
        't = Table("dev", "s", "t", [\n    Column("number", LongType(), comment="No.", renamed_from="nr"),  # of the till\n    Column("b", "int"),\n])\n',
    ),
    "a renamed column that is written otherwise": (
        't = Table("dev", "s", "t", [Column("Nr", LongType()), Column("b", "int")])\n',
        column(0, name="number", renamed_from="nr"),
        't = Table("dev", "s", "t", [Column("number", LongType(), renamed_from="nr"), Column("b", "int")])\n',
    ),
    "a former name that is a column again": (
        't = Table("dev", "s", "t", [Column("a", LongType()), Column("b", "int")])\n',
        with_columns(Column("a", spark.LongType()), Column("c", spark.IntegerType(), renamed_from="a")),
        't = Table("dev", "s", "t", [Column("a", LongType()), Column("c", IntegerType(), renamed_from="a")])\n',
    ),
    "a former name that no column has had": (
        't = Table("dev", "s", "t", [Column("a", LongType())])\n',
        with_columns(ID, Column("c", spark.IntegerType(), renamed_from="z")),
        't = Table("dev", "s", "t", [Column("id", LongType()), Column("c", IntegerType(), renamed_from="z")])\n',
    ),
    "a renamed field stays where it is": (
        't = Table("dev", "s", "t", [Column("a", StructType([\n    StructField("x", LongType()),  # first\n    StructField("y", LongType()),\n]))])\n',
        {
            "columns": [
                Column(
                    "a",
                    spark.StructType(
                        [
                            spark.StructField("z", spark.LongType(), True, {"renamed_from": "x"}),
                            spark.StructField("y", spark.LongType()),
                        ]
                    ),
                )
            ]
        },
        't = Table("dev", "s", "t", [Column("a", StructType([\n    StructField("z", LongType(), metadata={"renamed_from": "x"}),  # first\n    StructField("y", LongType()),\n]))])\n',
    ),
    "a list that becomes empty": (
        't = Table("dev", "s", "t", [Column("a", StructType([  # fields\n    StructField("x", LongType()),\n]))])\n',
        {"columns": [Column("a", spark.StructType([]))]},
        't = Table("dev", "s", "t", [Column("a", StructType([  # fields\n]))])\n',
    ),
}


def test_only_what_differs_is_edited():
    head = IMPORTS + "x = '# %%'\n"
    for newline in ("\n", "\r\n"):
        with named_cases(lambda *values, newline=newline: edited_with(newline, *values)) as case:
            for name, (before, changes, after) in CASES.items():
                case(name, head + before, changes, head + after)


def edited_with(newline, before, changes):
    """Return an edited source in the line ends of Unix, after the check that it has no others than those given."""
    text = edited(before.replace("\n", newline), changes, style=CodeStyle(200))
    assert text.count("\n") == text.count(newline)
    return text.replace(newline, "\n")


TYPES = "pyspark.sql.types"
OWN = "pytest_delta_schema"
USUAL = (
    'Table("dev", "s", "t", [Column("id", LongType())])',
    'Table("dev", "s", "t", [Column("id", LongType()), Column("x", DecimalType(3, 1))], checks=[Check("c", "x")])',
)
BY_TEXT = tuple(code.replace("LongType()", '"bigint"') for code in USUAL)
IMPORT_CASES = {
    "sorted into what is there": (
        f"from {TYPES} import DateType, LongType  # types\nfrom {OWN} import Column, Table\n",
        f"from {TYPES} import DateType, DecimalType, LongType  # types\nfrom {OWN} import Check, Column, Table\n",
        *USUAL,
    ),
    "a name a line": (
        f"from {TYPES} import (\n    LongType,  # ids\n    StringType\n)\nfrom {OWN} import (Column, Table)\n",
        f"from {TYPES} import (\n    DecimalType,\n    LongType,  # ids\n    StringType\n)\nfrom {OWN} import (Check, Column, Table)\n",
        *USUAL,
    ),
    "too long for one line": (
        f"from {TYPES} import ArrayType, DateType, LongType, TimestampType as Time, StringType\nfrom {OWN} import Column, Table\n",
        (
            f"from {TYPES} import (\n    ArrayType,\n    DateType,\n    DecimalType,\n    LongType,\n    TimestampType as Time,\n    StringType,\n)\n"
            f"from {OWN} import Check, Column, Table\n"
        ),
        *USUAL,
    ),
    "with backslashes": (
        f"from {TYPES} import \\\n    LongType\nfrom {OWN} import Column, \\\n  Table\n",
        f"from {TYPES} import \\\n    DecimalType, LongType\nfrom {OWN} import Check, Column, Table\n",
        *USUAL,
    ),
    "under other names": (
        f"import {TYPES} as T\nimport {OWN} as pds\nfrom {OWN} import Check as Rule\n",
        f"import {TYPES} as T\nimport {OWN} as pds\nfrom {OWN} import Check as Rule\n",
        'pds.Table("dev", "s", "t", [pds.Column("id", T.LongType())])',
        'pds.Table("dev", "s", "t", [pds.Column("id", T.LongType()), pds.Column("x", T.DecimalType(3, 1))], checks=[Rule("c", "x")])',
    ),
    "with dots": (
        f"import {TYPES}\nfrom pyspark.sql import types\nimport {OWN}\n",
        f"import {TYPES}\nfrom pyspark.sql import types\nimport {OWN}\n",
        f'{OWN}.Table("dev", "s", "t", [{OWN}.Column("id", types.LongType())])',
        f'{OWN}.Table("dev", "s", "t", [{OWN}.Column("id", types.LongType()), {OWN}.Column("x", {TYPES}.DecimalType(3, 1))], checks=[{OWN}.Check("c", "x")])',
    ),
    "stars": (
        f"from {TYPES} import *\nfrom {OWN} import *\n",
        f"from {TYPES} import *\nfrom {OWN} import *\n",
        *USUAL,
    ),
    "a package that is not imported yet": (
        f'"""Models."""\nimport os\nfrom {OWN} import Column, Table\n',
        f'"""Models."""\nimport os\nfrom {TYPES} import DecimalType\nfrom {OWN} import Check, Column, Table\n',
        *BY_TEXT,
    ),
    "names from inside of the package": (
        f"from {TYPES} import LongType, DecimalType\nfrom {OWN}.models.column import Column\nfrom {OWN}.models.table import Table\n",
        f"from {TYPES} import LongType, DecimalType\nfrom {OWN}.models.column import Column\nfrom {OWN}.models.table import Table\nfrom {OWN} import Check\n",
        *USUAL,
    ),
    "none at the top": (
        f"# models\nif True:\n    from {OWN} import Table, Column\n",
        f"# models\nfrom {TYPES} import DecimalType\nfrom {OWN} import Check\nif True:\n    from {OWN} import Table, Column\n",
        *BY_TEXT,
    ),
}


def test_what_is_missing_is_imported():
    changes = {"columns": [ID, Column("x", spark.DecimalType(3, 1))], "checks": [Check("c", "x")]}
    with named_cases(lambda source: edited(source, changes)) as case:
        for name, (before, after, declaration, code) in IMPORT_CASES.items():
            case(name, f"{before}t = {declaration}\n", f"{after}t = {code}\n")


REFUSED = {
    "a loop": (
        'for name in ["t"]:\n    t = Table("dev", "s", name, [Column("id", LongType())])\n',
        "line 3 declares the table in a loop",
    ),
    "a comprehension": (
        't, = [Table("dev", "s", name, [Column("id", LongType())]) for name in ["t"]]\n',
        "line 3 has a comprehension",
    ),
    "a factory": (
        'def table(name):\n    return Table("dev", "s", name, [Column("id", LongType())])\n\nt = table("t")\n',
        "line 6 has a call of table that is not a declaration in literals",
    ),
    "a lambda": (
        't = (lambda: Table("dev", "s", "t", [Column("id", LongType())]))()\n',
        "line 3 declares the table in a function",
    ),
    "an f-string": (
        't = Table("dev", "s", "t", [Column("id", LongType())], comment=f"{1}")\n',
        "line 3 has an f-string",
    ),
    "a sum": (
        't = Table("dev", "s", "t", [Column("id", LongType())], comment="a" + "b")\n',
        "line 3 has an expression that is not a literal",
    ),
    "a variable": (
        'NOTE = "x"\nt = Table("dev", "s", "t", [Column("id", LongType())],\n  comment=NOTE)\n',
        "line 5 takes a part of the declaration from NOTE",
    ),
    "keywords of a variable": (
        'MORE = {"comment": "x"}\nt = Table("dev", "s", "t", [Column("id", LongType())], **MORE)\n',
        "line 4 gives a part of the declaration with * or **",
    ),
    "a derived table": (
        'from dataclasses import replace\nt = replace(Table("dev", "s", "t", [Column("id", LongType())]), comment="x")\n',
        "line 4 does not give the argument comment",
    ),
    "another value": (
        'from dataclasses import replace\nt = replace(Table("dev", "s", "t", [Column("id", LongType())], comment="y"), comment="x")\n',
        "line 4 declares something else than the model has; edit it where the model gets its value",
    ),
    "several tables in a line": (
        'T = "t"\nt = [Table("dev", "s", T, [Column("id", LongType())]) for _ in "a"][0] or Table("dev", "s", T, [])\n',
        "line 4 has several calls of Table that may declare dev.s.t",
    ),
    "no table": (
        'import copy\nt = copy.copy(Table)("dev", "s", "t", [Column("id", LongType())])\n',
        "line 4 has a call of copy.copy(Table) that is not a declaration in literals",
    ),
    "a notebook": (
        '# COMMAND ----------\nt = Table("dev", "s", "t", [Column("id", LongType())])\n',
        "line 3 has the mark of a notebook's cell, '# COMMAND ----------'; edit the notebook itself",
    ),
    "cells": (
        '# %% models\nt = Table("dev", "s", "t", [Column("id", LongType())])\n',
        "line 3 has the mark of a notebook's cell, '# %% models'; edit the notebook itself",
    ),
}


def test_what_is_not_literal_is_refused():
    def fault(code):
        declared = made(IMPORTS + code)["t"]
        wanted = replace(declared, comment="new")
        with pytest.raises(NotLiteralError) as raised:
            edited_declaration((IMPORTS + code).encode(), declared.origin.line, declared, wanted)
        assert str(raised.value) == f"line {raised.value.line} {raised.value.reason}"
        return str(raised.value)

    with named_cases(fault) as case:
        for name, (code, text) in REFUSED.items():
            case(name, code, text)


BELOW = "\n\nother = 1  # é\n"


def line_of_table(source: str) -> int:
    return next(
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Table"
    )


def made_by_running(content: bytes) -> Table:
    namespace: dict[str, object] = {}
    exec(compile(content, "contracts.py", "exec"), namespace)  # noqa: S102 - what is tested
    (table,) = (value for value in namespace.values() if isinstance(value, Table))
    return table


def is_kept(before: str, after: str) -> bool:
    """Whether all statements but imports and the declaration are the same."""
    return after.endswith(BELOW) and before.partition("\n")[0] == after.partition("\n")[0]


TABLES = st.one_of(models(), states().map(declared_table))


@settings(max_examples=80, deadline=None)
@given(
    declared=TABLES,
    wanted=TABLES,
    width=st.sampled_from([40, 88, 10_000]),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]),
)
def test_any_model_becomes_any_other(declared, wanted, width, newline, encoding):
    head = f"# -*- coding: {encoding.removesuffix('-sig')} -*-\n"
    before = (head + module_source([declared], style=CodeStyle(width)) + BELOW).replace("\n", newline)
    content = before.encode(encoding)

    after = edited_declaration(content, line_of_table(before), declared, wanted, style=CodeStyle(width))

    assert made_by_running(after) == wanted
    assert is_kept(before.replace(newline, "\n"), after.decode(encoding).replace(newline, "\n"))
    assert edited_declaration(after, line_of_table(after.decode(encoding)), wanted, wanted) == after
    back = edited_declaration(after, line_of_table(after.decode(encoding)), wanted, declared)
    assert made_by_running(back) == declared


PARENT = Table("dev", "s", "p", [Column("id", spark.LongType())], primary_key=["id"])
DECLARED = Table(
    "dev",
    "s",
    "t",
    [Column("id", spark.LongType()), Column("b", spark.DateType()), Column("c", spark.DateType())],
    table_properties={"a": "1", "b": "2", "z": "0"},
    checks=[Check("c", "id > 0")],
    column_order="report",
    clustered_by=["id", "b"],
    unique=[Unique(["id", "b"]), Unique(["c"])],
    primary_key=["id", "b"],
)
WANTED = Table(
    "dev",
    "s",
    "t",
    [Column("c", spark.DateType()), Column("id", spark.StringType(), comment="it's"), Column("x", spark.LongType())],
    table_properties={"a": "2", "c": "3", "z": "0"},
    comment="new",
    clustered_by=["id", "c"],
    foreign_keys=[ForeignKey(["id"], PARENT)],
    unique=[Unique(["c"]), Unique(["id", "b"])],
    primary_key=["b", "id"],
)


def test_each_difference_is_a_line():
    assert hand_written(DECLARED, WANTED, {PARENT.name: Variable("p", ("id",))}) == (
        'columns: write Column("id", StringType(), comment="it\'s")',
        'columns: remove Column("b", DateType())',
        'columns: add Column("x", LongType())',
        "columns: put into the order c, id, x",
        'table_properties: write "a": "2"',
        'table_properties: remove "b": "2"',
        'table_properties: add "c": "3"',
        "primary_key: put into the order b, id",
        'remove checks=[Check("c", "id > 0")]',
        'clustered_by: remove "b"',
        'clustered_by: add "c"',
        'remove column_order="report"',
        "unique: put into the order c, id and b",
        'write comment="new"',
        'write foreign_keys=[ForeignKey(["id"], p)]',
    )


def test_nothing_is_to_do_where_nothing_differs():
    assert hand_written(DECLARED, DECLARED) == ()

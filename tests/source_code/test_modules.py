"""Modules that declare tables: what an author would write, that formatters keep it, and that it declares the same."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    QualifiedName,
    Table,
    Unique,
)
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.source_code import modules
from pytest_delta_schema.source_code.calls import Variable, table_variables
from pytest_delta_schema.source_code.literals import require_edited_call, require_statements, same_code
from pytest_delta_schema.source_code.modules import module_source, variables, why_unreadable
from pytest_delta_schema.source_code.text import CodeStyle, SourceText, text_code
from pytest_delta_schema.state.desired import declared_table, desired_state
from support.case_tables import cases, refusal
from support.models import catalog
from support.strategies import states

ID = Column("id", spark.LongType(), is_nullable=False)
CUSTOMERS = Table("dev", "silver", "customers", [ID], primary_key=["id"])
ORDERS = Table(
    "dev",
    "silver",
    "orders",
    [ID, Column("customer_id", spark.LongType(), comment="Who ordered")],
    primary_key=["id"],
    foreign_keys=[
        ForeignKey(["customer_id"], CUSTOMERS),
        ForeignKey(["id"], "prod.gold.`all.orders`", ["key"], name="fk_all"),
    ],
)
CALLS = {
    *(name for name in dir(spark) if name.endswith(("Type", "Field"))),
    *("Check", "Column", "Deprecated", "ForeignKey", "Identity", "Parquet", "date", "PrimaryKey", "Table", "Unique"),
    "UnknownType",
}


def declared(source: str | bytes) -> dict[QualifiedName, Table]:
    namespace: dict[str, object] = {}
    exec(compile(source, "contracts.py", "exec"), namespace)  # noqa: S102 - what is tested
    return {value.name: value for value in namespace.values() if isinstance(value, Table)}


def holds_literals_only(source: str) -> bool:
    docstring, *body = ast.parse(source).body
    for node in [docstring, *body]:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node is docstring
        if is_text or isinstance(node, ast.ImportFrom):
            continue
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            return False
        for part in ast.walk(node.value):
            if isinstance(part, ast.Call) and not (isinstance(part.func, ast.Name) and part.func.id in CALLS):
                return False
            if not isinstance(
                part,
                (ast.Call, ast.Name, ast.Constant, ast.List, ast.Dict, ast.keyword, ast.Load, ast.UnaryOp, ast.USub),
            ):
                return False
    return True


def is_formatted(source: str, width: int) -> bool:
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        f"--line-length={width}",
        "--stdin-filename=a.py",
        "-",
    ]
    return subprocess.run(command, input=source.encode(), capture_output=True, check=True).stdout.decode() == source


def test_a_module_is_what_an_author_would_write(reviewed):
    remark = "its property team.token is not declared, because it may be a secret"
    docstring = ["Tables of dev.silver.", "dev.silver.old could not be read: is a view"]

    source = module_source([ORDERS, CUSTOMERS], docstring=docstring, remarks={ORDERS.name: [remark]})

    assert source == reviewed
    assert is_formatted(source, 88)
    assert holds_literals_only(source)
    assert {name: desired_state(table) for name, table in declared(source).items()} == {
        CUSTOMERS.name: desired_state(CUSTOMERS),
        ORDERS.name: desired_state(ORDERS),
    }


@settings(max_examples=15, deadline=None)
@given(tables=st.lists(states(), min_size=1, max_size=3), texts=st.lists(st.text(), min_size=1, max_size=3))
def test_a_formatter_finds_nothing_in_a_module(tables, texts):
    named = [
        declared_table(replace(state, name=QualifiedName("dev", "a b", f"t {number}")))
        for number, state in enumerate(tables)
    ]
    source = module_source(named, remarks={named[0].name: texts}, style=CodeStyle(88))

    assert is_formatted(source, 88)


def test_a_word_that_is_wider_than_a_line_is_broken_in_comments_and_an_address_is_not():
    orders = Table("dev", "silver", "orders", [Column("id", "bigint")])
    address = f"https://shop.example/{'x' * 90}"
    source = module_source([orders], remarks={orders.name: ["0" * 100, f"see {address}"]}, style=CodeStyle(88))

    assert [line for line in source.splitlines() if line.startswith("#")] == [
        f"# {'0' * 86}",
        f"# {'0' * 14}",
        "# see",
        f"# {address}",
    ]


LONG = "The day on which the order was shipped, in the time zone of the warehouse that has shipped it, or NULL before"


def test_what_is_too_long_for_a_line_is_split_or_written_as_text(reviewed):
    lines = [spark.StructField(name, spark.LongType()) for name in ("product", "amount", "price")]
    commented = spark.StructField("a", spark.LongType(), metadata={"comment": "text cannot say it"})
    columns = [
        Column("shipped", spark.LongType(), comment=LONG),
        Column("short", spark.StructType([spark.StructField("a", spark.LongType())])),
        Column("lines", spark.ArrayType(spark.StructType(lines))),
        Column("commented", spark.StructType([commented, spark.StructField("b", spark.LongType())])),
    ]
    model = Table("dev", "silver", "l", columns, checks=[Check("no_blank", f"{'a' * 76}>0")])

    source = module_source([model], remarks={model.name: [LONG]})

    assert source == reviewed
    assert is_formatted(source, 88)
    assert declared(source) == {model.name: model}


@settings(max_examples=100, deadline=None)
@given(state=states())
def test_the_model_of_a_table_leaves_nothing_to_plan(state):
    stored = replace(state, exists=True)

    source = module_source([declared_table(stored)], docstring=[stored.table_comment or "x"])

    assert holds_literals_only(source)
    assert module_source(declared(source).values(), docstring=[stored.table_comment or "x"]) == source
    plan = TablePlanner().plan(declared(source).values(), catalog(stored))
    assert plan.is_empty
    assert not plan.mismatches


@given(text=st.text(), quote=st.sampled_from("\"'"))
def test_a_literal_is_the_text_that_was_written(text, quote):
    assert ast.literal_eval(text_code(text, CodeStyle(quote=quote))) == text


def test_no_two_tables_have_one_variable():
    names = ["Orders", "a-b", "a b", "a_b_2", "class", "2024", "²", "ﬁ", "fi"]
    names += ["__spec__", "pytest_generate_tests", "date", "\U0001d447able", "__", "__x"]

    chosen = variables((QualifiedName("dev", "s", name.lower()) for name in names), ["orders"])

    assert {name.table: variable for name, variable in chosen.items()} == {
        "orders": "orders_2",
        "a b": "a_b",
        "a-b": "a_b_2",
        "a_b_2": "a_b_2_2",
        "class": "class_",
        "2024": "_2024",
        "²": "_2",
        "fi": "fi",
        "ﬁ": "fi_2",
        "__spec__": "t__spec__",
        "pytest_generate_tests": "pytest_generate_tests_",
        "date": "date_",
        "\U0001d447able": "table",
        "__": "t__",
        "__x": "__x",
    }
    assert all(variable.isidentifier() for variable in chosen.values())


def test_texts_from_a_catalog_stay_inside_of_docstrings_and_comments():
    hostile = '"""\nimport os\nos.remove("x")\r\x1b[2J \\'

    source = module_source([CUSTOMERS], docstring=["Tables.", hostile], remarks={CUSTOMERS.name: [hostile]})

    assert holds_literals_only(source)
    assert "\x1b" not in source
    assert is_formatted(source, 88)


def extended_module(source: str, tables, existing) -> str:
    """Return the text of a module, in UTF-8, with further declarations."""
    return modules.extended_module(source.encode(), tables, existing).decode()


def test_a_module_is_extended_at_its_end(reviewed):
    items = Table("dev", "silver", "items", [ID], foreign_keys=[ForeignKey(["id"], CUSTOMERS)], unique=[Unique(["id"])])
    start = "# ours\nfrom pytest_delta_schema import Column, ForeignKey, Table\nfrom pyspark.sql.types import *  # all\n\ncustomers = 1"

    variables_there = table_variables({"customers": CUSTOMERS})
    assert variables_there == {CUSTOMERS.name: Variable("customers", ("id",))}
    assert extended_module(start, [items], variables_there) == reviewed


def test_imports_are_added_below_the_line_of_the_last_one():
    imports = "from pyspark.sql.types import LongType\nfrom pytest_delta_schema import Column, Table\n"
    declared = extended_module(imports, [CUSTOMERS], {}).removeprefix(imports)
    with cases(lambda module: extended_module(module, [CUSTOMERS], {})) as case:
        case("", imports + declared)
        case("y = 2\n", f"{imports}y = 2\n{declared}")
        line = "import os; x = (\n    1\n)\n"
        case(f"{line}y = 2\n", f"{line}{imports}y = 2\n{declared}")


def test_letters_of_two_columns_count_as_two():
    wide = Table(
        "dev",
        "s",
        "orders",
        [Column("id", spark.LongType(), comment="東" * 20), Column("e\u0301" * 12, spark.LongType(), comment="x" * 30)],
    )

    assert is_formatted(module_source([wide]), 88)


def test_a_variable_has_only_characters_that_the_encoding_of_its_module_has():
    table = Table("dev", "s", "表é", [ID], comment="表é")
    for codec, variable in {"latin-1": "_é", "ascii": "t__", "utf-8": "表é", "shift_jis": "表_"}.items():
        content = f"# coding: {codec}\nx = 1\n".encode(codec)

        extended = modules.extended_module(content, [table], {})

        assert f"\n{variable} = Table(" in extended.decode(codec)
        assert [*declared(extended).values()] == [table]


def test_a_type_that_python_cannot_read_is_known():
    data_type: spark.DataType = spark.LongType()
    for depth in range(1, 67):
        data_type = spark.StructType([spark.StructField("a", data_type)])
        if depth in {1, 64, 66}:
            reason = why_unreadable(Table("dev", "silver", "deep", [Column("a", data_type)]))
            assert reason == ("" if depth < 65 else "too many nested parentheses")


def test_code_is_the_same_if_its_trees_are():
    deep = "x = " + "-" * 90 + "1"
    for one, other in (("x = 1  # a", "x = (1)"), ("x = 'a' 'b'", 'x = "ab"'), (deep, deep)):
        assert same_code(ast.parse(one), ast.parse(other))
    for one, other in (
        *(("x = 1", "x = True"), ("x = 1", "x = 1.0"), ("x = 0.0", "x = -0.0"), ("x = 'a'", "x = b'a'")),
        *(("x = 1", "x = 1; y = 2"), ("x = 1", "y = 1"), ("x = [1]", "x = (1,)")),
        ("def f(): return", "def f(): return None"),
    ):
        assert not same_code(ast.parse(one), ast.parse(other))
        assert refusal(require_statements, other.encode(), ast.parse(one).body) == (
            "its edit would change other parts of it, too; write the model by hand"
        )


CALL = "from pytest_delta_schema import Table\nx = 1\nt = Table('a')\n"


def test_an_edited_call_is_all_that_may_differ():
    source, edited = SourceText(CALL.encode()), CALL.replace("'a'", "'b'")
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))

    require_edited_call(source, edited.encode(), call, "Table('b')", {})
    imported = edited.replace("import", "import Check,")
    for after in (
        CALL.replace("'a'", "'c'"),
        edited.replace("1", "2"),
        imported,
        f"from datetime import date\n{edited}",
    ):
        refused = refusal(require_edited_call, source, after.encode(), call, "Table('b')", {})
        assert refused.startswith("its edit would change other parts of it")


def test_a_module_that_cannot_be_extended_stays_as_it_is():
    with cases(lambda module: refusal(extended_module, module, [CUSTOMERS], {})) as case:
        case("x = (\n", "it is not valid Python: '(' was never closed (<unknown>, line 1)")
        fault = "{} is not that of pytest_delta_schema; rename it"
        case("class Table:\n    pass\n", fault.format("Table"))
        case("from other import Column\n", fault.format("Column"))
        case("from pytest_delta_schema import Column as Table\n", fault.format("Table"))
        case("import a.b as Table\n", fault.format("Table"))

"""Declarations that are edited: what is written before and after, and what is refused."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique
from pytest_delta_schema.source_code.calls import Variable
from pytest_delta_schema.source_code.edits import edited_declaration, hand_written
from pytest_delta_schema.source_code.modules import module_source
from pytest_delta_schema.source_code.text import CodeStyle, NotLiteralError
from pytest_delta_schema.state.desired import declared_table
from support.case_tables import blocks_in, named_cases
from support.strategies import models, states

IMPORTS = """\
from pyspark.sql.types import *
from pytest_delta_schema import *
"""


def made(source: str | bytes) -> dict[str, Table]:
    namespace: dict[str, object] = {}
    exec(compile(source, "contracts.py", "exec"), namespace)  # noqa: S102 - what is tested
    return {name: value for name, value in namespace.items() if isinstance(value, Table)}


def pairs_in(file: str) -> dict[str, tuple[str, str]]:
    """Return the pairs of texts in a file by their names; a line ``---`` stands between them."""
    blocks = blocks_in(Path(__file__).with_name(file)).items()
    pairs = ((name, text.partition("\n---\n")) for name, text in blocks)
    return {name: (f"{before}\n", after) for name, (before, _, after) in pairs}


def edited(before: str, after: str, **options) -> str:
    """Return a source whose variable ``t`` is edited to declare what it declares in another one."""
    declared, wanted = made(before)["t"], made(after)["t"]
    return edited_declaration(before.encode(), declared.origin.line, declared, wanted, **options).decode()


def test_only_what_differs_is_edited():
    head = IMPORTS + "x = '# %%'\n"
    for newline in ("\n", "\r\n"):
        with named_cases(partial(edited, style=CodeStyle(200))) as case:
            for name, texts in pairs_in("edits.txt").items():
                before, after = ((head + text).replace("\n", newline) for text in texts)
                case(name, before, after, after)


def test_what_is_missing_is_imported():
    with named_cases(edited) as case:
        for name, (before, after) in pairs_in("imports.txt").items():
            case(name, before, after, after)


def test_what_is_not_literal_is_refused():
    def fault(code):
        declared = made(IMPORTS + code)["t"]
        wanted = replace(declared, comment="new")
        with pytest.raises(NotLiteralError) as raised:
            edited_declaration((IMPORTS + code).encode(), declared.origin.line, declared, wanted)
        assert str(raised.value) == f"line {raised.value.line} {raised.value.reason}"
        return f"{raised.value}\n"

    with named_cases(fault) as case:
        for name, (code, text) in pairs_in("refused.txt").items():
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

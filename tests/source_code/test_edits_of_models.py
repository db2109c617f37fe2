"""Declarations that are edited: any model becomes any other one, and nothing else in the file changes."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_delta_schema import Table
from pytest_delta_schema.source_code.edits import edited_declaration
from pytest_delta_schema.source_code.modules import module_source
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state.desired import declared_table
from support.values.strategies import models, states

BELOW = "\n\nother = 1  # é\n"


def line_of_table(source: str) -> int:
    return next(
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Table"
    )


def made(content: bytes) -> Table:
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

    assert made(after) == wanted
    assert is_kept(before.replace(newline, "\n"), after.decode(encoding).replace(newline, "\n"))
    assert edited_declaration(after, line_of_table(after.decode(encoding)), wanted, wanted) == after
    back = edited_declaration(after, line_of_table(after.decode(encoding)), wanted, declared)
    assert made(back) == declared

"""The findings of ``check_write``, from the functions that report them: a table of the documentation."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from pytest_delta_schema.write_check import findings as module

if TYPE_CHECKING:
    from collections.abc import Iterator


def reported() -> dict[str, list[str]]:
    """Return what is reported under each name of a finding, from the docstrings of the functions."""
    findings: dict[str, list[str]] = {}
    for function in ast.parse(inspect.getsource(module)).body:
        for rule in _rules(function):
            summary = (ast.get_docstring(function) or "").partition("\n")[0]  # type: ignore[arg-type]
            findings.setdefault(rule, []).append(summary.removeprefix("Report ").removesuffix("."))
    return dict(sorted(findings.items()))


def table() -> str:
    """Write the table."""
    rows = ["| finding | reports |", "| --- | --- |"]
    rows += [f"| `{rule}` | {'; '.join(texts).replace('``', '`')} |" for rule, texts in reported().items()]
    return "\n".join(rows)


def _rules(function: ast.stmt) -> Iterator[str]:
    """Yield the names of the findings that a function builds."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "WriteFault":
            yield from (ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg == "rule")

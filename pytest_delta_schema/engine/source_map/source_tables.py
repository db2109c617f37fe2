"""Find the declarations of tables in the text of a module, and the positions of their parts."""

from __future__ import annotations

import ast
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.types import DataType

from pytest_delta_schema.models.column import Column
from pytest_delta_schema.models.constraints import Check, ForeignKey, Unique
from pytest_delta_schema.models.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CLASSES = (Table, Column, Check, ForeignKey, Unique)
_PARAMETERS: Mapping[type, tuple[str, ...]] = {
    class_: tuple(part.name for part in fields(class_) if part.init) for class_ in _CLASSES
}
"""The parameters of each declaration, in the order in which they can be given by position."""

_NAMES = ("catalog_name", "schema_name", "table_name")
"""The first parameters of what declares a table."""

_REPEATED = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Code that may run several times, so one call declares several tables."""

_CHOICES = (ast.IfExp, ast.BoolOp)
"""Expressions whose value may be that of another call in the same line."""

_UNKNOWN = object()


class Span(NamedTuple):
    """A part of a source text; lines and columns are counted from one."""

    line: int
    column: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSource:
    """The positions of one declaration and its arguments."""

    span: Span
    arguments: Mapping[str, Span]
    """The arguments that are given, by the names of their parameters."""
    constants: Mapping[str, object]
    """The values of those that are constants, lists of constants, or types of Spark."""
    keys: Mapping[str, Mapping[str, Span]]
    """Those that are dictionaries, with the place of each key."""
    items: Mapping[str, tuple[CallSource, ...]]
    """Those that are lists, with the declarations in them that are written out."""


def table_sources(text: str, namespace: Mapping[str, object]) -> dict[int, tuple[CallSource, ...]]:
    r"""Return the tables that the top-level code of a module declares, by the lines of their calls.

    Left out are tables that a function, a loop or a comprehension declares.

    Lines of the text end with ``\n``. By the variables of the module it is known what is called.

    Raises:
        SyntaxError: If the text is not Python.
        ValueError: If it has a null character.
        RecursionError: If it is nested too deeply.
    """
    return _Module(text, namespace).tables()


def assignment_line(text: str, variable: str) -> int | None:
    """Return the line in which a variable gets its value; ``None`` if there is not exactly one.

    A variable that is imported under the name gets its value, too.

    Raises:
        SyntaxError: If the text is not Python.
        ValueError: If it has a null character.
        RecursionError: If it is nested too deeply.
    """
    lines = [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Name) and node.id == variable and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.alias) and variable == (node.asname or node.name))
    ]
    return lines[0] if len(lines) == 1 else None


class _Module:
    """A parsed module."""

    def __init__(self, text: str, namespace: Mapping[str, object]) -> None:
        self._namespace = namespace
        self._tree = ast.parse(text)
        self._lines = [] if text.isascii() else text.split("\n")
        self._text = text
        self._displays = dict(_displays(self._tree))

    @cached_property
    def _words(self) -> Counter[str]:
        """How often the text has each word, comments included."""
        return Counter(re.findall(r"\w+", self._text))

    def tables(self) -> dict[int, tuple[CallSource, ...]]:
        """Return the declared tables by their lines."""
        tables: dict[int, tuple[CallSource, ...]] = {}
        todo: list[ast.AST] = [self._tree]
        while todo:
            node = todo.pop()
            if isinstance(node, (*_REPEATED, *_CHOICES)):
                continue
            parameters = self._parameters(node.func) if isinstance(node, ast.Call) else ()
            if isinstance(node, ast.Call) and parameters[: len(_NAMES)] == _NAMES:
                tables[node.lineno] = (*tables.get(node.lineno, ()), self._call(node, parameters))
            else:
                todo.extend(ast.iter_child_nodes(node))
        return tables

    def _call(self, call: ast.Call, parameters: tuple[str, ...]) -> CallSource:
        given: dict[str, ast.expr | ast.keyword] = {}
        for name, argument in zip(parameters, call.args, strict=False):
            if isinstance(argument, ast.Starred):
                break
            given[name] = argument
        given |= {argument.arg: argument for argument in call.keywords if argument.arg is not None}
        values = {name: node.value if isinstance(node, ast.keyword) else node for name, node in given.items()}
        displays = {name: self._display(value) for name, value in values.items()}
        constants = {name: self._constant(value) for name, value in displays.items()}
        return CallSource(
            span=self._span(call),
            arguments={name: self._span(node) for name, node in given.items()},
            constants={name: constant for name, constant in constants.items() if constant is not _UNKNOWN},
            keys={name: self._keys(value) for name, value in displays.items() if isinstance(value, ast.Dict)},
            items={
                name: tuple(self._items(value.elts))
                for name, value in displays.items()
                if isinstance(value, (ast.List, ast.Tuple))
            },
        )

    def _items(self, elements: list[ast.expr]) -> Iterator[CallSource]:
        """Yield the declarations in a list."""
        for element in elements:
            if isinstance(element, ast.Call):
                parameters = self._parameters(element.func)
                if parameters:
                    yield self._call(element, parameters)

    def _keys(self, display: ast.Dict) -> dict[str, Span]:
        """Return the keys of a dictionary; without those that are given twice, or that a later item may replace."""
        spans: dict[str, Span] = {}
        repeated = set()
        for key, value in zip(display.keys, display.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                spans = {}
            elif key.value in spans:
                repeated.add(key.value)
            else:
                spans[key.value] = self._span(key, value)
        return {name: span for name, span in spans.items() if name not in repeated}

    def _display(self, node: ast.expr) -> ast.expr:
        """Return the list or dictionary of a top-level variable that is assigned once and used once, else the node."""
        if isinstance(node, ast.Name) and self._words[node.id] == 2:  # noqa: PLR2004 - one assignment, one use
            return self._displays.get(node.id, node)
        return node

    def _constant(self, node: ast.expr) -> object:
        """Return the value of a constant, of a list of constants, or of a type of Spark."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.List, ast.Tuple)):
            values = [self._constant(element) for element in node.elts]
            return _UNKNOWN if _UNKNOWN in values else values if isinstance(node, ast.List) else tuple(values)
        if isinstance(node, ast.Call) and not node.keywords:
            class_: Any = self._value(node.func)
            arguments = [self._constant(argument) for argument in node.args]
            if issubclass(type(class_), type) and issubclass(class_, DataType) and _UNKNOWN not in arguments:
                with suppress(Exception):
                    return class_(*arguments)
        return _UNKNOWN

    def _parameters(self, node: ast.expr) -> tuple[str, ...]:
        """Return the parameters of a declaration that can be given by position; none for another object."""
        if isinstance(node, ast.Attribute) and node.attr == "from_struct_type" and self._value(node.value) is Table:
            return (*_NAMES, "struct")
        value = self._value(node)
        # The type and not isinstance, which would evaluate lazy proxies.
        return _PARAMETERS.get(value, ()) if type(value) is type else ()

    def _value(self, node: ast.expr) -> object:
        """Return the value of a variable, or of an attribute of a module; ``None`` if it has none."""
        if isinstance(node, ast.Name):
            return self._namespace.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._value(node.value)
            if issubclass(type(owner), ModuleType):
                with suppress(Exception):
                    return getattr(owner, node.attr)
        return None

    def _span(self, first: ast.expr | ast.keyword, last: ast.expr | None = None) -> Span:
        offset, end = first.col_offset, (last or first).end_lineno
        if self._lines:
            # The parser counts bytes of UTF-8.
            offset = len(self._lines[first.lineno - 1].encode()[:offset].decode())
        return Span(first.lineno, offset + 1, end or first.lineno)


def _displays(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the top-level variables whose values are written out as lists or dictionaries."""
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if (
            len(targets) == 1
            and isinstance(targets[0], ast.Name)
            and isinstance(value, (ast.List, ast.Tuple, ast.Dict))
        ):
            yield targets[0].id, value

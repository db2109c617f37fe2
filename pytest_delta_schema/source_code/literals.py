"""Read what is written out in literals, and name what is not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pytest_delta_schema.source_code.calls import Call, Variable
from pytest_delta_schema.source_code.canonical import item_key, parameters
from pytest_delta_schema.source_code.source_text import NotLiteralError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pytest_delta_schema.source_code.imports import Names

UNPACKED = "gives a part of the declaration with * or **"
"""Why a call cannot be edited, behind the number of its line."""

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def why_not_literal(node: ast.AST) -> str:  # noqa: PLR0911 - one answer a kind of code
    """Return why a part of a declaration cannot be edited, behind the number of its line."""
    match node:
        case ast.Starred():
            return UNPACKED
        case ast.Name() | ast.Attribute():
            return f"takes a part of the declaration from {ast.unparse(node)}"
        case ast.Call(func=function):
            return f"has a call of {ast.unparse(function)} that is not a declaration in literals"
        case ast.For() | ast.AsyncFor() | ast.While():
            return "declares the table in a loop"
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            return "declares the table in a function"
        case ast.JoinedStr():
            return "has an f-string"
        case _ if isinstance(node, _COMPREHENSIONS):
            return "has a comprehension"
    return "has an expression that is not a literal"


def given_arguments(node: ast.Call, name: str) -> list[tuple[str | None, ast.expr]]:
    """Return the arguments of a call in their order, by the names of their parameters.

    The name is ``None`` for those that are not known: ``*`` and ``**``, and what follows a ``*``.
    """
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        raise NotLiteralError(node.args[0].lineno, why_not_literal(node.args[0]))
    listed: list[tuple[str | None, ast.expr]] = []
    known = iter(parameters(name))
    is_certain = True
    arguments: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    for argument in sorted(arguments, key=lambda part: (part.lineno, part.col_offset)):
        if isinstance(argument, ast.keyword):
            listed.append((argument.arg, argument.value))
        else:
            is_certain = is_certain and not isinstance(argument, ast.Starred)
            listed.append((next(known, None) if is_certain else None, argument))
    return listed


class Literals:
    """Reads literals, where declarations are those that a module imports."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def value(self, node: ast.expr, parameter: str = "") -> object:
        """Return the value of a literal; calls of declarations are such.

        Raises:
            NotLiteralError: If the node is something else.
        """
        match node:
            case ast.Constant(value=value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [self.value(part) for part in parts]
            case ast.Dict(keys=keys, values=values) if None not in keys:
                read = [self.value(key) for key in keys if key is not None]
                return {key: self.value(value) for key, value in zip(read, values, strict=True)}
            case ast.Name() | ast.Attribute() if parameter == "references":
                return Variable(ast.unparse(node), ())
            case ast.Call():
                return self._call(node)
        raise NotLiteralError(node.lineno, why_not_literal(node))

    def _call(self, node: ast.Call) -> object:
        name = self._names.called(node.func)
        if name == "Decimal" and len(node.args) == 1 and not node.keywords:
            return str(self.value(node.args[0]))
        if not name:
            raise NotLiteralError(node.lineno, why_not_literal(node))
        arguments = []
        for parameter, part in given_arguments(node, name):
            if parameter is None:
                raise NotLiteralError(part.lineno, UNPACKED)
            arguments.append((parameter, self.value(part, parameter)))
        return Call(name, tuple(arguments))

    def labels(self, nodes: Sequence[ast.expr]) -> list[Hashable]:
        """Return what tells the items of a list apart, each with its number; ``None`` for those not written out."""
        listed: list[Hashable] = []
        for node in nodes:
            key, number = self._key(node), 0
            while (key, number) in listed:
                number += 1
            listed.append(None if key is None else (key, number))
        return listed

    def _key(self, node: ast.expr) -> Hashable:
        try:
            if not isinstance(node, ast.Call):
                return item_key(self.value(node))
            name = self._names.called(node.func)
            given = given_arguments(node, name)
            known = [(parameter, self.value(part)) for parameter, part in given if parameter in {"name", "columns"}]
        except NotLiteralError:
            return None
        return item_key(Call(name, tuple((parameter or "", value) for parameter, value in known))) if known else None

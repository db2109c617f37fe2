"""Read declarations that are written out in literals, and the names by which a module knows what they use."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyspark.sql import types as spark

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.source_code.calls import (
    DATE,
    FROM_STRUCT,
    Call,
    Variable,
    is_declaration,
    item_key,
    parameters,
)
from pytest_delta_schema.source_code.text import BracketItems, Edit, ItemSpan, Layout, NotLiteralError, SourceText

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.source_code.text import CodeStyle

PACKAGES = ("datetime", "pyspark.sql.types", "pytest_delta_schema")
"""The packages whose names declarations use; formatters sort them so."""


def package_of(name: str) -> str:
    """Return the package from which a name is imported."""
    days, types, declarations = PACKAGES
    if name == DATE:
        return days
    return types if hasattr(spark, name) else declarations


def import_line(package: str, names: Sequence[str], style: CodeStyle) -> str:
    """Return the import of names from a package: one line if it fits, else a name a line."""
    line = f"from {package} import {', '.join(names)}"
    if len(line) <= style.width:
        return line
    return f"from {package} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


_SAME_LINE = re.compile(r"[ \t\f]*;(?:[ \t\f]|\\\r?\n?)*")
"""What is between two statements of one logical line."""


def end_of_head(source: SourceText, body: Sequence[ast.stmt]) -> int:
    """Return the number of the statements up to the last import of a body, with those that follow it in its line."""
    head = [
        isinstance(node, (ast.Import, ast.ImportFrom))
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in body
    ]
    number = max((index + 1 for index, is_head in enumerate(head) if is_head), default=0)
    whole = source.tree.body
    while 0 < number < len(whole):
        gap = source.text[source.span(whole[number - 1])[1] : source.span(whole[number])[0]]
        if not _SAME_LINE.fullmatch(gap):
            break
        number += 1
    return number


def start_below(source: SourceText, number: int) -> int:
    """Return where the line below the first statements of a file begins; that of the first one, if there are none."""
    body = source.tree.body
    if number:
        return source.start_of_line((body[number - 1].end_lineno or body[number - 1].lineno) + 1)
    if not body:
        return len(source.text)
    first = [body[0], *getattr(body[0], "decorator_list", ())]
    return source.start_of_line(min(node.lineno for node in first))


def bound_names(body: Iterable[ast.stmt]) -> dict[str, str]:
    """Return the names that a module binds, with the package that each is imported from; ``""`` for others."""
    bound: dict[str, str] = {}
    for node in body:
        if isinstance(node, ast.ImportFrom):
            bound |= {
                alias.asname or alias.name: (node.module or "") if alias.asname in {None, alias.name} else ""
                for alias in node.names
            }
        elif isinstance(node, ast.Import):
            bound |= {(alias.asname or alias.name).partition(".")[0]: "" for alias in node.names}
        else:
            bound |= {
                part.id: "" for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                bound[node.name] = ""
    return bound


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
    """Return the arguments of a call in their order, by the names of their parameters."""
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
        """Return the value of a literal; calls of declarations are such."""
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


class _Imported:
    """The names of declarations that some statements import."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.names: dict[str, str] = {}
        self.modules: dict[str, str] = {}
        self.stars: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                self.modules |= {part.asname or part.name: part.name for part in node.names if part.name in PACKAGES}
            elif isinstance(node, ast.ImportFrom):
                self._add(node.module or "", node.names)

    def _add(self, module: str, names: Iterable[ast.alias]) -> None:
        for part in names:
            known = part.asname or part.name
            if part.name == "*":
                self.stars.add(module)
            elif f"{module}.{part.name}" in PACKAGES:
                self.modules[known] = f"{module}.{part.name}"
            elif module == "decimal" or (
                (module in PACKAGES or module.startswith("pytest_delta_schema.")) and is_declaration(part.name)
            ):
                self.names[known] = part.name


class Names:
    """How a declaration calls what it uses, and what it has to import for that."""

    def __init__(self, source: SourceText, line: int) -> None:
        self._source = source
        self._line = line
        self._anywhere = _Imported(ast.walk(source.tree))
        self._above = [node for node in source.tree.body if (node.end_lineno or node.lineno) < line]
        self._usable = _Imported(_run_before(self._above))
        self._bound = bound_names(source.tree.body)
        self.missing: dict[str, set[str]] = {}
        """The names that have to be imported, by their packages."""

    def called(self, node: ast.expr) -> str:
        """Return the name of what is called, as its package has it; ``""`` if it is nothing that declarations use."""
        if isinstance(node, ast.Attribute):
            if f"{self.called(node.value)}.{node.attr}" == FROM_STRUCT:
                return FROM_STRUCT
            owner = self._anywhere.modules.get(ast.unparse(node.value))
            return node.attr if owner and package_of(node.attr) == owner and is_declaration(node.attr) else ""
        if not isinstance(node, ast.Name):
            return ""
        is_star = self._anywhere.stars and node.id not in self._bound and is_declaration(node.id)
        return node.id if is_star else self._anywhere.names.get(node.id, "")

    def written(self, name: str) -> str:
        """Return how a declaration writes a name; it is imported if it is not yet."""
        package = package_of(name)
        known = sorted(local for local, meant in self._usable.names.items() if meant == name)
        if known:
            return name if name in known else known[0]
        if package in self._usable.stars and name not in self._bound:
            return name
        owners = sorted(local for local, module in self._usable.modules.items() if module == package)
        if owners:
            return f"{owners[0]}.{name}"
        if self._bound.get(name, package) != package:
            raise NotLiteralError(
                self._line, f"needs {name} of {package}, and the module has the name for something else"
            )
        self.missing.setdefault(package, set()).add(name)
        return name

    def edits(self, style: CodeStyle) -> Iterator[Edit]:
        """Yield the edits that import what is missing."""
        for package in PACKAGES:
            if package in self.missing:
                names = sorted(self.missing[package])
                existing = [node for node in self._above if _imports_from(node, package)]
                yield self._extended(existing[-1], names, style) if existing else self._added(package, names, style)

    def _extended(self, node: ast.stmt, names: list[str], style: CodeStyle) -> Edit:
        """Return the edit of an import that has further names."""
        assert isinstance(node, ast.ImportFrom)  # noqa: S101 - for the type checker
        source = self._source
        start, end = source.span(node)
        spans = [source.span(alias) for alias in node.names]
        newline, indent = source.newline(node.lineno), source.indentation(start)
        bracket = source.text.find("(", start, spans[0][0])
        if bracket < 0:
            texts = [source.text[first:last] for first, last in spans]
            for name in names:
                texts.insert(_sorted_index(texts, name), name)
            if "\\" in source.text[start:end]:
                return Edit(spans[0][0], end, ", ".join(texts))
            text = import_line(str(node.module), texts, style).replace("\n", newline)
            return Edit(start, end, text)
        parts = [ItemSpan(*span) for span in spans]
        items = BracketItems.split(source.text, (bracket + 1, end - 1), parts, Layout(newline, indent))
        for name in names:
            items.insert(_sorted_index([item.core for item in items.items], name), name, partial(_code_of, name))
        return Edit(bracket + 1, end - 1, items.code())

    def _added(self, package: str, names: list[str], style: CodeStyle) -> Edit:
        """Return the edit that adds an import where formatters sort it: among those of the packages, or after all."""
        source = self._source
        later = PACKAGES[PACKAGES.index(package) + 1 :]
        others = [node for node in self._above if any(_imports_from(node, other) for other in later)]
        if others and others[0].col_offset == 0:
            offset = source.start_of_line(others[0].lineno)
        else:
            offset = start_below(source, end_of_head(source, self._above))
        newline = source.newline(self._line)
        text = (import_line(package, names, style) + "\n").replace("\n", newline)
        return Edit(offset, offset, text)


_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""Statements with names that the module does not have."""


def _run_before(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the statements that have certainly run, with those in conditions but for type checkers."""
    for node in body:
        is_skipped = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if isinstance(node, ast.stmt) and not is_skipped and not isinstance(node, _LATER):
            yield node
            yield from _run_before(ast.iter_child_nodes(node))


def _imports_from(node: ast.stmt, package: str) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == package and node.names[0].name != "*"


def _code_of(name: str, _: str | None) -> str:
    return name


def _sorted_index(names: Sequence[str], name: str) -> int:
    """Return where a name is sorted among others."""
    return next((index for index, other in enumerate(names) if other > name), len(names))


_OTHER_PARTS = "its edit would change other parts of it, too; write the model by hand"


def require_statements(content: bytes, expected: Sequence[ast.stmt]) -> None:
    """Make sure that a file has exactly some statements."""
    if not same_code(expected, SourceText(content).tree.body):
        raise DeclarationError(_OTHER_PARTS)


def require_edited_call(
    source: SourceText, content: bytes, call: ast.Call, code: str, imported: Mapping[str, Iterable[str]]
) -> None:
    """Make sure that a file differs from an older text in one call, and in further names that it imports."""
    (before, old), (after, new) = (_without_imports(tree) for tree in (source.tree, SourceText(content).tree))
    added = Counter((package, name, None) for package, names in imported.items() for name in names)
    replaced = {id(call): ast.parse(f"({code})", mode="eval").body}
    if not same_code(before, after, replaced) or new != old + added:
        raise DeclarationError(_OTHER_PARTS)


def _without_imports(tree: ast.Module) -> tuple[list[ast.stmt], Counter[tuple[str | None, str, str | None]]]:
    """Return the statements of a module, and apart from them what it imports of the names that declarations use."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in PACKAGES]
    names = Counter((node.module, part.name, part.asname) for node in imports for part in node.names)
    return [node for node in tree.body if node not in imports], names


def same_code(one: object, other: object, replaced: Mapping[int, ast.AST] = MappingProxyType({})) -> bool:
    """Whether two parts of trees are the same code."""
    todo = [(one, other)]
    while todo:
        left, right = todo.pop()
        if isinstance(left, ast.AST):
            left = replaced.get(id(left), left)
            if type(left) is not type(right):
                return False
            todo += [(getattr(left, name, None), getattr(right, name, None)) for name in left._fields]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            todo += zip(left, right, strict=True)
        elif type(left) is not type(right) or repr(left) != repr(right):
            # The text of a number tells -0.0 from 0.0, and finds one that is not a number.
            return False
    return True

"""Edit a declaration in the text of a Python file, or tell what has to be edited, so that it declares another model."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.models.table import declared_name
from pytest_delta_schema.source_code.calls import (
    FROM_STRUCT,
    NO_VALUE,
    NO_VARIABLES,
    Call,
    Variable,
    agrees,
    arguments_of,
    keyed,
    parameters,
    table_call,
    text_of_type,
)
from pytest_delta_schema.source_code.literals import (
    UNPACKED,
    Literals,
    Names,
    bound_names,
    given_arguments,
    require_edited_call,
    why_not_literal,
)
from pytest_delta_schema.source_code.text import (
    DEFAULT_STYLE,
    BracketItems,
    CodeStyle,
    Edit,
    ItemSpan,
    Layout,
    NotLiteralError,
    SourceText,
    code_lines,
    columns_of_line,
    flat_code,
    text_code,
)
from pytest_delta_schema.state.spark_types import RENAMED_FROM

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterable, Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.source_code.calls import Variables


def edited_declaration(  # noqa: PLR0913, PLR0917 - what it is about, and how it is written
    content: bytes,
    line: int,
    declared: Table,
    wanted: Table,
    variables: Variables = NO_VARIABLES,
    style: CodeStyle = DEFAULT_STYLE,
) -> bytes:
    """Return the content of a Python file in which the declaration at a line makes another model."""
    source = SourceText(content)
    source.refuse_generated()
    names = Names(source, line)
    call = table_call_node(source, names, line, declared_name(declared))
    above = bound_names(node for node in source.tree.body if (node.end_lineno or node.lineno) < line)
    usable = {
        name: variable for name, variable in variables.items() if name != declared.name and variable.name in above
    }
    old, new = table_call(declared, usable), table_call(wanted, usable)
    code = Rewriter(source, names, style, source.newline(line)).code(call, "", old, new)
    edited = source.edited([Edit(*source.span(call), code), *names.edits(style)])
    require_edited_call(source, edited, call, code, names.missing)
    return edited


_REPEATED = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.AsyncFor, ast.While),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Code that may run several times, so one call declares several tables."""

_NAME_PARTS = ("catalog_name", "schema_name", "table_name")


def table_call_node(source: SourceText, names: Names, line: int, name: QualifiedName) -> ast.Call:
    """Return the call at a line, or of the statement that begins there, which declares a table."""
    candidates = [
        (call, repeated)
        for statement, call, repeated in _calls(source.tree)
        if line in {call.lineno, statement}
        and names.called(call.func) in {"Table", FROM_STRUCT}
        and _may_declare(call, names, name)
    ]
    if len(candidates) > 1:
        raise NotLiteralError(line, f"has several calls of Table that may declare {name}")
    if not candidates:
        others = [call for _, call, _ in _calls(source.tree) if call.lineno == line]
        raise NotLiteralError(
            line, why_not_literal(others[0]) if others else f"has no call of Table that declares {name}"
        )
    call, repeated = candidates[0]
    if repeated is not None:
        raise NotLiteralError(getattr(repeated, "lineno", line), why_not_literal(repeated))
    return call


def _calls(tree: ast.Module) -> Iterator[tuple[int, ast.Call, ast.AST | None]]:
    """Yield calls, each with the line of its statement, and the code around it that may run several times."""
    todo: list[tuple[int, ast.AST, ast.AST | None]] = [(0, tree, None)]
    while todo:
        line, node, repeated = todo.pop()
        if isinstance(node, ast.stmt):
            line = node.lineno
        if isinstance(node, ast.Call):
            yield line, node, repeated
        if isinstance(node, _REPEATED):
            repeated = node
        todo.extend((line, child, repeated) for child in ast.iter_child_nodes(node))


def _may_declare(call: ast.Call, names: Names, name: QualifiedName) -> bool:
    """Whether the parts of the name that are written out are those of a table."""
    given = dict(given_arguments(call, names.called(call.func)))
    written = [(given.get(parameter), part) for parameter, part in zip(_NAME_PARTS, name, strict=True)]
    return all(folded(str(node.value)) == part for node, part in written if isinstance(node, ast.Constant))


_OTHERWISE = "declares something else than the model has; edit it where the model gets its value"
"""Why a part cannot be edited, behind the number of its line."""

_UP_TO_BRACKET: Any = re.compile(r"(?:#[^\r\n]*|[^(#])*")
"""What is between the name of what is called and the opening bracket; it matches any text."""

_Parts = Mapping[Any, object]
"""The items of a list or dictionary by their labels."""


class Rewriter:
    """Writes nodes of a file, or parts of them, again."""

    def __init__(self, source: SourceText, names: Names, style: CodeStyle, newline: str) -> None:
        self._source = source
        self._names = names
        self._style = style
        self._literals = Literals(names)
        self._newline = newline

    def code(self, node: ast.expr, parameter: str, old: object, new: object) -> str:
        """Return the text of a node that makes ``new`` instead of ``old``."""
        start, end = self._source.span(node)
        if repr(old) == repr(new):
            return self._source.text[start:end]
        name = self._names.called(node.func) if isinstance(node, ast.Call) else ""
        if name == "PrimaryKey":
            old, new = _primary_key(old), _primary_key(new)
        match node, old, new:
            case ast.Call(), Call(), Call() if old.name == new.name == name.partition(".")[0]:
                return self._call(node, name, arguments_of(old), new)
            case ((ast.List() | ast.Tuple()), list(), list()):
                return self._list(node, old, new)
            case ast.Dict(), dict(), dict():
                return self._dict(node, old, new)
        self._require(node, parameter, old)
        if parameter == "data_type" and isinstance(node, ast.Constant) and isinstance(new, Call):
            new = text_of_type(new) or new
        indent = self._source.indentation(start)
        line = self._source.whole_line(node.lineno)
        head = line[len(indent) : start - self._source.start_of_line(node.lineno)]
        # A line that is too long already stays one, and a call of plain values is not split.
        is_kept = columns_of_line(line) > self._style.width or not _has_parts(new)
        return self._new(head, new, None if is_kept else indent)[len(head) :]

    def _require(self, node: ast.expr, parameter: str, old: object) -> None:
        """Raise an error if a node is not a literal, or has another value than the model."""
        if not agrees(self._literals.value(node, parameter), old, parameter):
            raise NotLiteralError(node.lineno, _OTHERWISE)

    def _new(self, head: str, value: object, indent: str | None) -> str:
        """Return the code of a value behind a text, for its own line or that of its neighbours."""
        local = self._local(value)
        if indent is None:
            return head + flat_code(local, self._style)
        lines = code_lines(head, local, self._style, indent)
        return lines[len(indent) :].replace("\n", self._newline)

    def _local(self, value: object) -> object:
        """Return a value with the names by which the module knows what it calls."""
        match value:
            case Variable():
                return value
            case Call(name, arguments):
                return Call(self._names.written(name), tuple((key, self._local(part)) for key, part in arguments))
            case list():
                return [self._local(item) for item in value]
            case dict():
                return {key: self._local(item) for key, item in value.items()}
        return value

    def _call(self, node: ast.Call, name: str, old: dict[str, object], call: Call) -> str:
        """Write a call whose arguments differ."""
        start, end = self._source.span(node)
        bracket = _UP_TO_BRACKET.match(self._source.text, self._source.span(node.func)[1]).end()
        given = given_arguments(node, name)
        arguments: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        spans = sorted(map(self._source.span, arguments))
        items = self._items(bracket + 1, end - 1, spans, (label for label, _ in given))
        values = {label: value for label, value in given if label is not None}
        known, new = parameters(name), arguments_of(call)
        for parameter in dict.fromkeys([*known, *new]):
            before, after = old.get(parameter, NO_VALUE), new.get(parameter, NO_VALUE)
            if repr(before) == repr(after):
                continue
            index = next((at for at, item in enumerate(items.items) if item.label == parameter), None)
            if index is None:
                if len(values) < len(given):
                    raise NotLiteralError(node.lineno, UNPACKED)
                is_written = before is NO_VALUE or parameter == "parent_columns"
                if parameter not in known or not (is_written or agrees(before, known[parameter], parameter)):
                    raise NotLiteralError(node.lineno, f"does not give the argument {parameter}")
                if after is not NO_VALUE:
                    self._add_argument(items, call, parameter, after, has_positions_only=not node.keywords)
                continue
            value = values[parameter]
            if after is not NO_VALUE:
                usual = type(after)() if isinstance(after, (list, dict)) else known[parameter]
                code = self.code(value, parameter, usual if before is NO_VALUE else before, after)
                items.replace(index, self._source.span(value), code)
                continue
            self._require(value, parameter, before)
            if value in node.args[:-1]:
                items.replace(index, self._source.span(value), repr(known[parameter]))
            else:
                items.remove({index})
        return self._source.text[start : bracket + 1] + items.code() + ")"

    def _add_argument(
        self, items: BracketItems, call: Call, parameter: str, value: object, *, has_positions_only: bool
    ) -> None:
        """Add an argument, by position if that is usual and those before it are given so, else by its name."""
        known = [*parameters(call.name)]
        rank = known.index(parameter)
        labels = [item.label for item in items.items]
        indexes = [index for index, label in enumerate(labels) if label in known[:rank]]
        is_usual = rank < len(call.arguments) and not call.arguments[rank][0]
        head = "" if is_usual and has_positions_only and labels == known[:rank] else f"{parameter}="
        items.insert(max(indexes, default=-1) + 1, parameter, partial(self._new, head, value))

    def _items(
        self, start: int, end: int, spans: Iterable[tuple[int, int]], labels: Iterable[Hashable]
    ) -> BracketItems:
        """Return the items between two brackets."""
        layout = Layout(self._newline, self._source.indentation(start - 1))
        parts = [ItemSpan(*span, label) for span, label in zip(spans, labels, strict=True)]
        return BracketItems.split(self._source.text, (start, end), parts, layout)

    def _list(self, node: ast.List | ast.Tuple, old: list[object], new: list[object]) -> str:
        """Write a list whose items differ."""
        start, end = self._source.span(node)
        spans = [self._source.span(element) for element in node.elts]
        items = self._items(start + 1, end - 1, spans, self._literals.labels(node.elts))
        self._merge(node, items, node.elts, keyed(old), keyed(new))
        return self._source.text[start] + items.code(is_tuple=isinstance(node, ast.Tuple)) + self._source.text[end - 1]

    def _dict(self, node: ast.Dict, old: dict[Hashable, object], new: dict[Hashable, object]) -> str:
        """Write a dictionary whose items differ."""
        start, end = self._source.span(node)
        labels: list[Hashable] = []
        for key in node.keys:
            if key is None:
                # What is unpacked may replace those before it.
                labels = [None] * len(labels)
            label = key.value if isinstance(key, ast.Constant) else None
            labels = [*(None if other == label else other for other in labels), label]
        parts = [key or value for key, value in zip(node.keys, node.values, strict=True)]
        spans = [
            (self._source.span(part)[0], self._source.span(value)[1])
            for part, value in zip(parts, node.values, strict=True)
        ]
        items = self._items(start + 1, end - 1, spans, labels)
        self._merge(node, items, node.values, old, new)
        return "{" + items.code() + "}"

    def _merge(self, node: ast.expr, items: BracketItems, values: Sequence[ast.expr], old: _Parts, new: _Parts) -> None:
        """Change, remove, move and insert the items of a list or dictionary that differ."""
        new = {_former_key(key, value, old, new): value for key, value in new.items()}
        labels = [item.label for item in items.items]
        hidden = next((value for label, value in zip(labels, values, strict=True) if label is None), None)
        is_ordered = not isinstance(node, ast.Dict)
        known = [label for label in labels if label is not None]
        there = [key for key in old if hidden is None or key in known]
        if known != there if is_ordered else set(known) != set(there):
            raise NotLiteralError(node.lineno, _OTHERWISE)
        unknown = NotLiteralError((hidden or node).lineno, why_not_literal(hidden or node))
        gone = set()
        for key, value in old.items():
            if key in new and repr(new[key]) == repr(value):
                continue
            if key not in labels:
                raise unknown
            index = labels.index(key)
            if key in new:
                code = self.code(values[index], "", value, new[key])
                items.replace(index, self._source.span(values[index]), code)
            else:
                gone.add(index)
        items.remove(gone)
        kept = [key for key in new if key in old]
        if is_ordered and kept != [key for key in old if key in new]:
            if hidden is not None:
                raise unknown
            items.order(kept)
        self._insert(items, old, new, unknown, has_keys=not is_ordered)

    def _insert(
        self, items: BracketItems, old: _Parts, new: _Parts, unknown: NotLiteralError, *, has_keys: bool
    ) -> None:
        """Insert new items behind those that are before them in the model; raise ``unknown`` if that is not certain."""
        for number, key in enumerate(new):
            if key not in old:
                index = _index([item.label for item in items.items], [*new], number, old)
                if index is None:
                    raise unknown
                head = f"{text_code(str(key), self._style)}: " if has_keys else ""
                items.insert(index, key, partial(self._new, head, new[key]))


def _former_key(key: Any, value: object, old: _Parts, new: _Parts) -> Any:
    """Return the key that a renamed column or field has had, if that is now free, so that it is edited where it is."""
    given = arguments_of(value) if isinstance(value, Call) and key not in old else {}
    metadata = given.get("metadata")
    former = given.get(RENAMED_FROM) or (metadata.get(RENAMED_FROM) if isinstance(metadata, dict) else None)
    former_key = (folded(former), 0) if isinstance(former, str) else key
    return former_key if former_key in old and former_key not in new else key


def _has_parts(value: object) -> bool:
    """Whether a value has calls, lists or dictionaries in it."""
    parts = [part for _, part in value.arguments] if isinstance(value, Call) else [value]
    return any(isinstance(part, (Call, list, dict)) for part in parts)


def _primary_key(value: object) -> object:
    """Return a primary key as a call."""
    return Call("PrimaryKey", (("", value),)) if isinstance(value, list) else value


def _index(labels: Sequence[Hashable], keys: Sequence[Hashable], number: int, old: Container[Hashable]) -> int | None:
    """Return where a new item is inserted, by those before and behind it; ``None`` if that is not certain."""
    if number == 0:
        return 0
    if keys[number - 1] in labels:
        return labels.index(keys[number - 1]) + 1
    following = keys[number + 1 :]
    if following and following[0] in labels:
        return labels.index(following[0])
    return None if any(key in old for key in following) else len(labels)


def hand_written(declared: Table, wanted: Table, variables: Variables = NO_VARIABLES) -> tuple[str, ...]:
    """Return the parts of a declaration that differ, as code, each with what has to be done in one line."""
    old, new = arguments_of(table_call(declared, variables)), arguments_of(table_call(wanted, variables))
    return tuple(line for name in dict.fromkeys([*old, *new]) for line in _lines(name, old.get(name), new.get(name)))


def _lines(name: str, old: object, new: object) -> Iterator[str]:
    """Yield what has to be done about an argument."""
    if repr(old) == repr(new):
        return
    match old, new:
        case list(), list():
            before, after = keyed(old), keyed(new)
            yield from _changes(name, before, after, {key: _code(item) for key, item in {**before, **after}.items()})
            kept = [key for key in after if key in before]
            if kept != [key for key in before if key in after]:
                yield f"{name}: put into the order {', '.join(map(_shown, after))}"
        case dict(), dict():
            codes = {key: f"{_code(key)}: {_code(value)}" for key, value in {**old, **new}.items()}
            yield from _changes(name, old, new, codes)
        case _, None:
            yield f"remove {name}={_code(old)}"
        case _:
            yield f"write {name}={_code(new)}"


def _changes(
    name: str, old: Mapping[Any, object], new: Mapping[Any, object], codes: Mapping[Any, str]
) -> Iterator[str]:
    """Yield what has to be done about the parts of a list or dictionary; ``codes`` are those that it has at last."""
    for key, code in codes.items():
        if key not in new:
            yield f"{name}: remove {code}"
        elif key not in old:
            yield f"{name}: add {code}"
        elif repr(old[key]) != repr(new[key]):
            yield f"{name}: write {code}"


def _code(value: object) -> str:
    return flat_code(value, DEFAULT_STYLE)


def _shown(key: tuple[Hashable, int]) -> str:
    """Return the name of an item, without its number among those with the same name."""
    name, _ = key
    return " and ".join(name) if isinstance(name, tuple) else str(name)

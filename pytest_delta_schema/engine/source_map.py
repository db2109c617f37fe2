"""Find the lines of source code that declare a table and its parts."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from importlib.util import decode_source
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from pytest_delta_schema.delta.names import column_of, folded, part_path
from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.models.column import Column
from pytest_delta_schema.models.constraints import Check, ForeignKey, Unique
from pytest_delta_schema.models.declared_at import FileVersion, imported_version
from pytest_delta_schema.models.table import Table, declared_name
from pytest_delta_schema.state.keys import path_of_key

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.declared_at import DeclaredAt
    from pytest_delta_schema.models.names import QualifiedName


if TYPE_CHECKING:
    _T = TypeVar("_T")
    _Item = TypeVar("_Item")
    _K = TypeVar("_K", bound=Hashable)
    _V = TypeVar("_V")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A variable of a project that lists tables of installed packages."""

    path: str
    variable: str
    version: FileVersion | None


class SourceLocations:
    """The locations of declarations and of their parts; a file is read once, when it is first needed."""

    def __init__(self, listings: Mapping[QualifiedName, Listing]) -> None:
        self._listings = listings
        self._files: dict[str, Mapping[int, tuple[CallSource, ...]]] = {}
        self._declarations: dict[QualifiedName, DeclarationParts | None] = {}
        self._listed: dict[Listing, Location | None] = {}

    def location(self, table: Table, path: str = "", code: str = "") -> Location:
        """Return the location of a declaration or of a part of it.

        It is that of the whole declaration for a part that is not written out there, and only the line of it where a
        loop, a comprehension or a function declares the table, or the file is no longer the one that was imported.
        A table of an installed package is where a variable of the project lists it.
        """
        listing = self._listings.get(table.name)
        if listing is not None:
            return self._location_of(listing) or table.origin.location
        if table.name not in self._declarations:
            self._declarations[table.name] = self._declaration(table)
        declaration = self._declarations[table.name]
        if declaration is None:
            return table.origin.location
        return Location(table.origin.path, *declaration.span(path, code))

    def _declaration(self, table: Table) -> DeclarationParts | None:
        """Return the parts of a declaration; ``None`` if it is not certain which call it is."""
        origin = table.origin
        if origin.path not in self._files:
            self._files[origin.path] = _calls_of_module(origin)
        calls = [call for call in self._files[origin.path].get(origin.line, ()) if _may_declare(call, table)]
        if len(calls) != 1 or "table_name" not in calls[0].constants:
            return None
        return DeclarationParts(calls[0], table)

    def _location_of(self, listing: Listing) -> Location | None:
        """Return where a variable is assigned; ``None`` if that is not certain."""
        if listing not in self._listed:
            line = _made_of_file(listing.path, listing.version, lambda text: assignment_line(text, listing.variable))
            self._listed[listing] = None if line is None else Location(listing.path, line)
        return self._listed[listing]


def _calls_of_module(origin: DeclaredAt) -> Mapping[int, tuple[CallSource, ...]]:
    """Return the tables that a module declares, by line."""
    module = sys.modules.get(origin.module)
    if module is None:
        return {}
    return _made_of_file(origin.path, imported_version(module), lambda text: table_sources(text, vars(module))) or {}


def _made_of_file(path: str, version: FileVersion | None, parse: Callable[[str], _T]) -> _T | None:
    """Return what a function makes of a file; ``None`` if the file cannot be read, or has changed."""
    try:
        with Path(path).open("rb") as file:
            if version is None or FileVersion.of(file.fileno()) != version:
                return None
            text = decode_source(file.read())
        with warnings.catch_warnings():
            # The import has shown them.
            warnings.simplefilter("ignore")
            return parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def _may_declare(call: CallSource, table: Table) -> bool:
    """Whether the names that a call is given are those of a table, if they are constants."""
    name = declared_name(table)
    written = [call.constants.get(part, meant) for part, meant in zip(_NAMES, name, strict=True)]
    return [folded(part) if isinstance(part, str) else part for part in written] == [*name]


_TABLE_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "layout": ("partitioned_by", "clustered_by"),
    "format": ("convert_from",),
}
"""The arguments of a table that declare what a path names, where it is not the name of the argument."""

_DICTIONARIES: Mapping[str, str] = {"properties": "table_properties", "tags": "tags"}
"""The arguments of a table that are dictionaries, by the first part of the paths of their keys."""

_COLUMN_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "comment": ("comment",),
    "default": ("default",),
    "type": ("data_type",),
    "nullability": ("is_nullable",),
    "deprecated": ("deprecated",),
    "order": (),
}
"""The arguments of a column that declare what the part of a path after its name is."""

_ARGUMENTS_BY_CODE: Mapping[str, tuple[str, ...]] = {
    "DD104": ("data_type",),
    "DD105": ("is_nullable",),
    "DD109": ("generated_as", "identity"),
}
"""The arguments of a column that a kind of change is about whose path is that of the column."""

_COMPARED = frozenset({
    *("name", "data_type", "is_nullable", "comment", "default", "generated_as", "renamed_from"),
    *("expression", "columns", "primary_key", "partitioned_by", "clustered_by"),
})  # fmt: skip
"""The arguments whose constants have to be what the model says."""


class DeclarationParts:
    """The parts of one declared table in its source.

    A part that is not written out in the call, or that the model has otherwise because it was changed later, is found
    where the table is.
    """

    def __init__(self, source: CallSource, table: Table) -> None:
        self._source = source
        self._table = table

    def span(self, path: str = "", code: str = "") -> Span:
        """Return the position of a part, or else of the whole declaration."""
        return self._part(path, code) or self._source.span

    def _part(self, path: str, code: str) -> Span | None:
        head, _, rest = path.partition(".")
        if head == "columns":
            return self._column(*column_of(path), code)
        if head in _DICTIONARIES:
            return _key(self._source, self._table, _DICTIONARIES[head], rest)
        if rest:
            source = self._constraints.get(folded(path))
            return None if source is None else source.span
        return _argument(self._source, self._table, _TABLE_ARGUMENTS.get(path, (path,)))

    def _column(self, name: str, rest: str, code: str) -> Span | None:
        """Return the position of a column, or of an argument of it."""
        column, source = self._columns.get(folded(name), (None, None))
        if column is None or source is None:
            return None
        head, _, key = rest.partition(".")
        span = None
        if not rest:
            span = _argument(source, column, _ARGUMENTS_BY_CODE.get(code, ()))
        elif not _has_field(column.data_type, head):
            if rest in _COLUMN_ARGUMENTS:
                span = _argument(source, column, _COLUMN_ARGUMENTS[rest])
            elif head == "tags":
                span = _key(source, column, "tags", key)
            elif not isinstance(column.data_type, (ArrayType, MapType, StructType)):
                return None
        return span or source.span

    @cached_property
    def _columns(self) -> dict[str, tuple[Column, CallSource | None]]:
        """The columns by name, and by former name, each with the call that declares it."""
        columns, calls = self._table.columns, self._source.items.get("columns", ())
        written = {folded(column.name): call for column, call in _pairs(columns, calls, _folded_name, _name)}
        return _once(
            (folded(name), (column, written.get(folded(column.name))))
            for column in columns
            for name in (column.name, column.renamed_from)
            if name is not None
        )

    @cached_property
    def _constraints(self) -> dict[str, CallSource]:
        """The calls that declare checks and keys, by their paths in lower case."""
        table, calls = self._table, self._source.items
        declared: list[tuple[str, CallSource]] = []
        for check, call in _pairs(table.checks, calls.get("checks", ()), _folded_name, _name):
            declared.append((part_path("checks", check.name), call))
        keys: dict[str, Sequence[ForeignKey | Unique]] = {"foreign_keys": table.foreign_keys, "unique": table.unique}
        for parameter, items in keys.items():
            for key, call in _pairs(items, calls.get(parameter, ()), _columns_and_name, _written_key):
                declared.append((path_of_key(table, key), call))
        return _once((folded(path), call) for path, call in declared)


def _pairs(
    items: Iterable[_Item],
    sources: Iterable[CallSource],
    key: Callable[[_Item], Hashable],
    source_key: Callable[[CallSource], Hashable],
) -> Iterator[tuple[_Item, CallSource]]:
    """Yield the declarations of a model that are written out, each with its call."""
    declared, written = _once((key(item), item) for item in items), _once((source_key(call), call) for call in sources)
    for name, item in declared.items():
        call = written.get(name)
        if call is not None and _agrees(call, item):
            yield item, call


def _once(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, _V]:
    """Return a dictionary of pairs, without the keys that occur twice."""
    pairs = list(pairs)
    counts = Counter(key for key, _ in pairs)
    return {key: value for key, value in pairs if counts[key] == 1}


def _folded_name(item: Column | Check) -> str:
    return folded(item.name)


def _name(source: CallSource) -> str | None:
    name = source.constants.get("name")
    return folded(name) if isinstance(name, str) else None


def _columns_and_name(key: ForeignKey | Unique) -> Hashable:
    return tuple(key.columns), key.name


def _written_key(source: CallSource) -> Hashable:
    columns, name = source.constants.get("columns"), source.constants.get("name")
    if not isinstance(columns, (list, tuple)) or (name is None and "name" in source.arguments):
        return None
    return tuple(columns), name


def _has_field(data_type: DataType, name: str) -> bool:
    return isinstance(data_type, StructType) and folded(name) in map(folded, data_type.names)


def _argument(source: CallSource, item: object, names: tuple[str, ...]) -> Span | None:
    """Return the span of the one argument that is given, if its value equals the model's."""
    given = [name for name in names if name in source.arguments]
    return source.arguments[given[0]] if len(given) == 1 and _says(source, item, given[0]) else None


def _key(source: CallSource, item: object, name: str, key: str) -> Span | None:
    """Return the position of a key of a dictionary, if the model has it."""
    return source.keys.get(name, {}).get(key) if key in getattr(item, name) else None


def _agrees(source: CallSource, item: object) -> bool:
    """Whether all constants of a call are what the model says."""
    return all(_says(source, item, name) for name in source.constants)


def _says(source: CallSource, item: object, name: str) -> bool:
    """Whether an argument is a constant that the model agrees with."""
    if name not in _COMPARED or name not in source.constants:
        return True
    written: object = source.constants[name]
    meant: Any = getattr(item, name)
    if isinstance(written, (list, tuple)):
        return tuple(written) == tuple(meant)
    if isinstance(meant, DataType) and isinstance(written, str):
        return _type(written) == meant
    return bool(((written or "") if name == "comment" else written) == meant)


@lru_cache
def _type(text: str) -> DataType | None:
    # The import is slow, and was done when the type of the model was read.
    from pytest_delta_schema.models.types import parse_type  # noqa: PLC0415 - as it says

    try:
        return parse_type(text)
    except ValueError:
        return None


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
    r"""Return the tables that the top-level code of a module declares, by the lines of their calls."""
    return _Module(text, namespace).tables()


def assignment_line(text: str, variable: str) -> int | None:
    """Return the line in which a variable gets its value; ``None`` if there is not exactly one."""
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

"""Write Python modules that declare tables, each in a variable."""

from __future__ import annotations

import ast
import keyword
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.models.sets import dependency_groups
from pytest_delta_schema.source_code.calls import Call, Variable, column_call, field_call, table_call
from pytest_delta_schema.source_code.literals import PACKAGES, bound_names, import_line, is_head, package_of
from pytest_delta_schema.source_code.text import DEFAULT_STYLE, CodeStyle, code_lines, flat_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import types as spark

    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table

Remarks = Mapping["QualifiedName", Sequence[str]]
"""Comments to be written above the declarations of tables, one line each."""

NO_REMARKS: Remarks = MappingProxyType({})


def column_source(column: Column) -> str:
    """Return the line that declares a column: ``Column("amount", DecimalType(18, 2))``."""
    return flat_code(column_call(column), DEFAULT_STYLE)


def field_source(field: spark.StructField) -> str:
    """Return the line that declares a field: ``StructField("unit", StringType(), nullable=False)``."""
    return flat_code(field_call(field), DEFAULT_STYLE)


def module_source(
    tables: Iterable[Table],
    *,
    docstring: Sequence[str] = (),
    remarks: Remarks = NO_REMARKS,
    style: CodeStyle = DEFAULT_STYLE,
) -> str:
    """Return the source of a module that declares tables, each under its own name.

    It imports what it needs and holds literals only. A table follows those that its foreign keys reference; apart from
    that, tables are sorted by name. Formatters leave the text as it is.
    """
    declarations = _declarations(tables, {}, (), remarks, style)
    head = [_docstring(docstring)] if docstring else []
    imports = [import_line(package, names, style) for package, names in _needed(declarations.calls).items()]
    return "\n\n".join([*head, *imports, *declarations.texts]) + "\n"


def extended_module(
    source: str,
    tables: Iterable[Table],
    existing: Mapping[QualifiedName, Variable],
    *,
    remarks: Remarks = NO_REMARKS,
    style: CodeStyle = DEFAULT_STYLE,
) -> str:
    """Return the source of a module with further declarations at its end; everything in it stays as it is."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError) as error:
        msg = f"it is not valid Python: {error}"
        raise DeclarationError(msg) from None
    bound = bound_names(body)
    declarations = _declarations(tables, existing, bound, remarks, style)
    missing: dict[str, list[str]] = {}
    for package, names in _needed(declarations.calls).items():
        for name in names:
            if bound.get(name, package) != package:
                msg = f"{name} is not that of {package}; rename it"
                raise DeclarationError(msg)
            if name not in bound:
                missing.setdefault(package, []).append(name)
    ends = "\r\n" if "\r\n" in source else "\n"
    lines = source.splitlines(keepends=True)
    after = max((node.end_lineno or 0 for node in body if is_head(node)), default=0)
    added = "".join(f"{import_line(package, names, style)}\n" for package, names in missing.items()).replace("\n", ends)
    head, rest = "".join(lines[:after]), "".join(lines[after:])
    if added and head and not head.endswith(("\n", "\r")):
        head += ends
    new = "".join(f"\n{text}\n" for text in declarations.texts).replace("\n", ends)
    end = "" if (not rest and not head) or (rest or head).endswith(("\n", "\r")) else ends
    return f"{head}{added}{rest}{end}{new}"


class _Declarations(NamedTuple):
    calls: list[Call]
    texts: list[str]


def _declarations(
    tables: Iterable[Table],
    existing: Mapping[QualifiedName, Variable],
    taken: Iterable[str],
    remarks: Remarks,
    style: CodeStyle,
) -> _Declarations:
    """Write the declarations of tables, parents first."""
    ordered = [table for group in dependency_groups(tables) for table in group]
    names = variables((table.name for table in ordered), [*taken, *(variable.name for variable in existing.values())])
    known = dict(existing)
    made = _Declarations([], [])
    for table in ordered:
        call = table_call(table, known)
        comments = "".join(f"{_comment(remark)}\n" for remark in remarks.get(table.name, ()))
        made.calls.append(call)
        made.texts.append(comments + code_lines(f"{names[table.name]} = ", call, style))
        known[table.name] = Variable(names[table.name], tuple(table.primary_key))
    return made


def _needed(calls: Iterable[Call]) -> dict[str, list[str]]:
    """Return the names that declarations use, sorted, by the packages that have them."""
    names = sorted({call.name for whole in calls for call in _calls(whole)})
    needed = {package: [name for name in names if package_of(name) == package] for package in PACKAGES}
    return {package: chosen for package, chosen in needed.items() if chosen}


def _calls(value: object) -> Iterator[Call]:
    if isinstance(value, Call):
        yield value
        for _, argument in value.arguments:
            yield from _calls(argument)
    elif isinstance(value, list):
        for item in value:
            yield from _calls(item)


def _comment(text: str) -> str:
    return f"# {escaped(text)}".rstrip()


def _docstring(lines: Sequence[str]) -> str:
    first, *others = [escaped(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return "\n".join([f'"""{first}', *([""] if others else []), *others]) + ('\n"""' if others else '"""')


def variables(names: Iterable[QualifiedName], taken: Iterable[str] = ()) -> dict[QualifiedName, str]:
    """Return a variable for each table, no two of them the same."""
    return distinct(names, lambda name: variable(name.table), taken)


def distinct(
    names: Iterable[QualifiedName], short: Callable[[QualifiedName], str], taken: Iterable[str] = ()
) -> dict[QualifiedName, str]:
    """Return a short name for each table; those that are the same, or taken, get a number."""
    chosen: dict[QualifiedName, str] = {}
    used = set(taken)
    for name in sorted(names):
        plain = free = short(name)
        number = 2
        while free in used:
            free, number = f"{plain}_{number}", number + 1
        used.add(free)
        chosen[name] = free
    return chosen


def variable(name: str) -> str:
    """Return a Python name for a table."""
    plain = python_word(name)
    if not plain.isidentifier():
        plain = f"_{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) or plain in _TAKEN else plain


_TAKEN = frozenset({
    "collect_ignore", "collect_ignore_glob", "delta_tables", "pytest_plugins", "pytestmark",
    "setup_function", "setup_module", "teardown_function", "teardown_module",
})  # fmt: skip
"""Names of variables that mean something to pytest, or to this package."""


def python_word(name: str) -> str:
    """Return a name in lower case with the characters that Python's names have; it may begin with a digit."""
    low = unicodedata.normalize("NFKC", name.lower())
    return "".join(character if f"a{character}".isidentifier() else "_" for character in low)

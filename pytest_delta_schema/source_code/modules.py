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
from pytest_delta_schema.source_code.calls import (
    DATE,
    Call,
    Variable,
    column_call,
    field_call,
    is_declaration,
    table_call,
    text_of_type,
)
from pytest_delta_schema.source_code.literals import (
    PACKAGES,
    bound_names,
    end_of_head,
    import_line,
    package_of,
    require_statements,
    start_below,
)
from pytest_delta_schema.source_code.text import (
    DEFAULT_STYLE,
    CodeStyle,
    SourceText,
    code_lines,
    columns_of_line,
    flat_code,
    wrapped,
)

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
    """Return the source of a module that declares tables, each under its own name."""
    declarations = _declarations(tables, {}, (), remarks, style, lambda _: True)
    head = [_docstring(docstring, style)] if docstring else []
    needed = _needed(declarations.calls)
    lines = {package: import_line(package, names, style) for package, names in needed.items()}
    imports = [lines.pop("datetime", ""), "\n".join(lines.values())]
    return "\n\n".join([*head, *filter(None, imports), *declarations.texts]) + "\n"


def extended_module(
    content: bytes,
    tables: Iterable[Table],
    existing: Mapping[QualifiedName, Variable],
    *,
    remarks: Remarks = NO_REMARKS,
    style: CodeStyle = DEFAULT_STYLE,
) -> bytes:
    """Return the content of a module with further declarations at its end; everything in it stays as it is."""
    source = SourceText(content)
    body = source.tree.body
    bound = bound_names(body)
    declarations = _declarations(tables, existing, _mentioned(source.tree), remarks, style, source.holds)
    missing: dict[str, list[str]] = {}
    for package, names in _needed(declarations.calls).items():
        for name in names:
            if bound.get(name, package) != package:
                msg = f"{name} is not that of {package}; rename it"
                raise DeclarationError(msg)
            if name not in bound:
                missing.setdefault(package, []).append(name)
    added = "".join(f"{import_line(package, names, style)}\n" for package, names in missing.items())
    declared = "".join(f"\n{text}\n" for text in declarations.texts)
    number = end_of_head(source, body)
    offset = start_below(source, number)
    ends = source.newline(1)
    text = _ended(source.text[:offset], ends if added else "") + added.replace("\n", ends) + source.text[offset:]
    extended = source.encoded(_ended(text, ends) + declared.replace("\n", ends))
    parts = [body[:number], ast.parse(added).body, body[number:], ast.parse(declared).body]
    require_statements(extended, [node for part in parts for node in part])
    return extended


def _ended(text: str, newline: str) -> str:
    """Return a text whose last line is ended."""
    return text if not text or text.endswith(("\n", "\r")) else text + newline


def _mentioned(tree: ast.Module) -> set[str]:
    """Return the names that a module has or uses, so no new variable takes one of them."""
    fields = [getattr(node, field, None) for node in ast.walk(tree) for field in ("id", "name", "asname", "rest")]
    return {name.partition(".")[0] for name in fields if isinstance(name, str)}


class _Declarations(NamedTuple):
    calls: list[Call]
    texts: list[str]


def _declarations(  # noqa: PLR0913, PLR0917 - what is declared, where, and how it is written
    tables: Iterable[Table],
    existing: Mapping[QualifiedName, Variable],
    taken: Iterable[str],
    remarks: Remarks,
    style: CodeStyle,
    holds: Callable[[str], bool],
) -> _Declarations:
    """Write the declarations of tables, parents first, in an encoding that ``holds`` some texts."""
    ordered = [table for group in dependency_groups(tables) for table in group]
    used = [*taken, *(variable.name for variable in existing.values())]
    names = variables((table.name for table in ordered), used, holds)
    known = dict(existing)
    made = _Declarations([], [])
    for table in ordered:
        call = _with_short_types(table_call(table, known), style)
        comments = "".join(f"{_comment(remark, style)}\n" for remark in remarks.get(table.name, ()))
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


def _with_short_types(table: Call, style: CodeStyle) -> Call:
    """Return a table whose columns have the types as text that would take several lines as calls."""
    *name, (_, columns), options = (*table.arguments[:4], table.arguments[4:])
    short = [_with_short_type(column, style) for column in columns] if isinstance(columns, list) else columns
    return Call(table.name, (*name, ("", short), *options))


def _with_short_type(column: Call, style: CodeStyle) -> Call:
    name, (_, data_type), *options = column.arguments
    if not (isinstance(data_type, Call) and _is_split(column, style, 2) and _is_split(data_type, style, 3)):
        return column
    text = text_of_type(data_type)
    return column if text is None or _is_split(text, style, 3) else Call(column.name, (name, ("", text), *options))


def _is_split(value: object, style: CodeStyle, level: int) -> bool:
    """Whether a value takes several lines on a level of indentation."""
    return "\n" in code_lines("", value, style, "    " * level)


def _comment(text: str, style: CodeStyle) -> str:
    def fits(line: str) -> bool:
        return columns_of_line(f"# {line}".rstrip()) <= style.width

    lines = [part for line in wrapped(escaped(text), fits) for part in _parts_of_word(line, fits)]
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _parts_of_word(line: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """Yield a line, or the parts of a word that is wider than one; addresses stay whole, as linters let them."""
    part = ""
    for character in line if not fits(line) and "://" not in line else ():
        if not fits(part + character):
            yield part
            part = ""
        part += character
    yield part or line


def _docstring(texts: Sequence[str], style: CodeStyle) -> str:
    plain = [escaped(text).replace("\\", "\\\\").replace('"', '\\"') for text in texts]
    first, *others = [
        line.strip() for text in plain for line in wrapped(text, lambda line: columns_of_line(line) + 3 <= style.width)
    ]
    return "\n".join([f'"""{first}', *([""] if others else []), *others]) + ('\n"""' if others else '"""')


def variables(
    names: Iterable[QualifiedName], taken: Iterable[str] = (), holds: Callable[[str], bool] = lambda _: True
) -> dict[QualifiedName, str]:
    """Return a variable for each table, no two of them the same, of characters that the file ``holds``."""
    return distinct(
        names,
        lambda name: variable("".join(part if holds(part) else "_" for part in python_word(name.table))),
        taken,
    )


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
    """Return a Python name for a table, which means nothing to Python, pytest, this package or the module."""
    plain = python_word(name)
    if not plain.isidentifier():
        plain = f"_{plain}"
    if plain.startswith("__") and plain.endswith("__"):
        plain = f"t{plain}"
    is_taken = keyword.iskeyword(plain) or plain in _TAKEN or plain == DATE or is_declaration(plain)
    return f"{plain}_" if is_taken else plain


_TAKEN = frozenset({
    "I", "O", "l",
    "collect_ignore", "collect_ignore_glob", "delta_tables", "pytest_generate_tests", "pytest_plugins", "pytestmark",
    "setup_function", "setup_module", "teardown_function", "teardown_module",
})  # fmt: skip
"""Names of variables that mean something to pytest, or to this package."""


_FEW_BRACKETS = 90
"""So many brackets inside of each other are read by every Python; since 3.8 it refuses 200."""


def why_unreadable(table: Table) -> str:
    """Return why Python cannot read the declaration of a table, such as its many brackets; ``""`` if it can."""
    try:
        call = table_call(table)
        # Compiling takes 0.8 ms for a table of 50 columns, and counting 0.2 ms.
        if _brackets(call) >= _FEW_BRACKETS:
            compile(f"table = {flat_code(call, DEFAULT_STYLE)}", "<model>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return (error.msg if isinstance(error, SyntaxError) else str(error)) or type(error).__name__
    return ""


def _brackets(value: object) -> int:
    """Return how many brackets are inside of each other in the code of a value."""
    if isinstance(value, Call):
        return 1 + max((_brackets(part) for _, part in value.arguments), default=0)
    if isinstance(value, (list, dict)):
        return 1 + max(map(_brackets, value.values() if isinstance(value, dict) else value), default=0)
    return 0


def python_word(name: str) -> str:
    """Return a name in lower case with the characters that Python's names have; it may begin with a digit."""
    # Letters of other styles, such as italic ones, have a lower case as plain ones only.
    low = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name.lower()).lower())
    return "".join(character if f"a{character}".isidentifier() else "_" for character in low)

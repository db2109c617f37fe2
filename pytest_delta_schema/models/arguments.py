"""Refuse wrong arguments of declarations and functions, with a message that says what to write."""

from __future__ import annotations

from dataclasses import MISSING, fields
from difflib import get_close_matches
from functools import update_wrapper
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pytest_delta_schema.diagnostics.errors import DeclarationError, WrongArgumentsError
from pytest_delta_schema.diagnostics.text import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LONGEST = 80


def refuse_kind(subject: str, wanted: str, value: object, remedy: str) -> NoReturn:
    """Raise the error for a value that a function cannot use.

    Args:
        subject: The function or class.
        wanted: What it takes.
        value: What it was given.
        remedy: What to give, in the imperative.

    Raises:
        DeclarationError: Always.
    """
    raise DeclarationError(kind_fault(subject, wanted, value, remedy))


def refuse(*faults: str) -> None:
    """Raise the error for all faults of a call; an argument without a fault has ``""``."""
    if any(faults):
        raise DeclarationError("\n".join(filter(None, faults)))


def kind_fault(subject: str, wanted: str, value: object, remedy: str) -> str:
    """Return the message of :func:`refuse_kind`."""
    return f"{subject} takes {wanted}, and was given {argument_text(value)}; {remedy}"


def session_fault(value: object, subject: str) -> str:
    """Return the fault of a value that is not a session of Spark, of whatever kind."""
    if not isinstance(value, type) and hasattr(value, "sql"):
        return ""
    return kind_fault(subject, "a Spark session", value, "give one, such as the fixture delta_spark")


def folder_fault(value: object, subject: str, folder: str = "the folder of the warehouse") -> str:
    """Return the fault of a value that is not a path."""
    return "" if isinstance(value, (str, PathLike)) else kind_fault(subject, folder, value, "give its path")


def argument_text(value: object) -> str:
    """Return a value for a message, in at most a line."""
    if not isinstance(value, type) and hasattr(value, "qualified_name"):
        return f"the Table {value.qualified_name}"
    return shortened(repr(value), _LONGEST)


_T = TypeVar("_T")


def refuses_wrong_arguments(declaration: type[_T]) -> type[_T]:
    """Make the constructor of a frozen dataclass with slots refuse wrong arguments, and say which are right.

    The new constructor is compiled, as that of a dataclass is, and writes to the slots: ``object.__setattr__``, and a
    wrapper of the dataclass's own constructor, double the time to declare a column (Python 3.11).
    """
    init: Callable[..., None] = declaration.__init__
    arguments = [field for field in fields(declaration) if field.init]  # type: ignore[arg-type]  # a dataclass
    names = [field.name for field in arguments]
    named = [field.name for field in arguments if field.kw_only]
    positional = [name for name in names if name not in named]
    required = [field.name for field in arguments if field.default is field.default_factory is MISSING]

    def refuse(made: _T, given: dict[str, object], surplus: tuple[object, ...], unknown: dict[str, object]) -> None:
        kind = declaration.__name__
        if unknown:
            raise WrongArgumentsError(_unknown(kind, [*unknown], names))
        if surplus:
            init(made, **given)  # a fault in them is the reason: a list of columns that was written without brackets
            raise WrongArgumentsError(_surplus(kind, surplus, positional, named))
        present = {name: given[name] for name in required if given[name] is not MISSING}
        raise WrongArgumentsError(missing_arguments(kind, required, present))

    namespace: dict[str, Any] = {"__name__": __name__, "_refuse": refuse, "_missing": MISSING}
    for field in arguments:
        default = field.default if field.default_factory is MISSING else field.default_factory()
        namespace[f"_default_{field.name}"] = default
        namespace[f"_set_{field.name}"] = getattr(declaration, field.name).__set__
    head, tail = ([f"{name}=_default_{name}" for name in group] for group in (positional, named))
    source = (
        f"def __init__({', '.join(['self', *head, '*_surplus', *tail, '**_unknown'])}):\n"
        f"    if _surplus or _unknown{''.join(f' or {name} is _missing' for name in required)}:\n"
        f"        _refuse(self, dict({', '.join(f'{name}={name}' for name in names)}), _surplus, _unknown)\n"
        + "".join(f"    _set_{name}(self, {name})\n" for name in names)
        + "    self.__post_init__()\n"
    )
    exec(compile(source, f"<constructor of {declaration.__name__}>", "exec"), namespace)  # noqa: S102 - as the dataclasses of Python do
    setattr(declaration, "__init__", update_wrapper(namespace["__init__"], init))  # noqa: B010 - mypy
    return declaration


def _unknown(kind: str, unknown: list[str], arguments: list[str]) -> str:
    proposals = {name: _proposal(kind, name, arguments) for name in unknown}
    known = [f"{proposal} instead of {name}" for name, proposal in proposals.items() if proposal]
    other = f"its arguments are {', '.join(arguments)}" if not all(proposals.values()) else ""
    remedy = "; ".join(part for part in (f"write {', '.join(known)}" if known else "", other) if part)
    return f"{kind} has no argument {', '.join(unknown)}; {remedy}"


_ON_THE_TABLE = "{} of the Table"
_NOT_KNOWN_YET = "replace_where or a Merge, for REPLACE {} is not known yet,"
_SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "Column": {
        "autoincrement": "identity",
        "check": _ON_THE_TABLE.format("checks"),
        "computed": "generated_as",
        "deprecation": "deprecated",
        "description": "comment",
        "doc": "comment",
        "dtype": "data_type",
        "foreign_key": _ON_THE_TABLE.format("foreign_keys"),
        "generated": "generated_as",
        "labels": "tags",
        "not_null": "is_nullable=False",
        "null": "is_nullable",
        "nullable": "is_nullable",
        "old_name": "renamed_from",
        "primary_key": _ON_THE_TABLE.format("primary_key"),
        "required": "is_nullable=False",
        "server_default": "default",
        "type": "data_type",
        "type_": "data_type",
        "unique": _ON_THE_TABLE.format("unique"),
    },
    "Table": {
        "constraints": "checks, primary_key, unique or foreign_keys",
        "cluster_by": "clustered_by",
        "engines": "clients",
        "readers": "clients",
        "writers": "clients",
        "database": "schema_name",
        "description": "comment",
        "fields": "columns",
        "labels": "tags",
        "name": "catalog_name, schema_name and table_name",
        "options": "table_properties",
        "partition_by": "partitioned_by",
        "partition_columns": "partitioned_by",
        "partitioning": "partitioned_by",
        "pk": "primary_key",
        "properties": "table_properties",
        "schema": "schema_name, or Table.from_struct_type for a StructType",
        "tblproperties": "table_properties",
    },
    "WriteOptions": {
        "replace_on": _NOT_KNOWN_YET.format("ON"),
        "replace_using": _NOT_KNOWN_YET.format("USING"),
    },
    "Check": {"condition": "expression", "constraint": "expression", "sql": "expression", "sqltext": "expression"},
    "ForeignKey": {
        "parent": "references",
        "refcolumns": "references and parent_columns",
        "referenced_columns": "parent_columns",
        "table": "references",
    },
    "Deprecated": {"replaced_by": "use", "replacement": "use", "until": "sunset"},
    "Identity": {"begin": "start", "increment": "step"},
    "Merge": {"on": "no condition, for it chooses rows and not columns, and the clauses"},
    "Parquet": {"folder": "path", "location": "path", "no_statistics": "statistics=False", "stats": "statistics"},
}
"""What other tools call an argument, by class, with what is written here."""


def _proposal(kind: str, name: str, arguments: list[str]) -> str:
    """Return what to write instead of an argument; ``""`` if it is not known."""
    synonym = _SYNONYMS.get(kind, {}).get(name.lower())
    return synonym or next(iter(get_close_matches(name.lower(), arguments, n=1)), "")


def _surplus(kind: str, surplus: tuple[object, ...], positional: list[str], named: list[str]) -> str:
    values = ", ".join(map(repr, surplus))
    if not named:
        fact = f"{kind} takes at most {len(positional)} arguments, and was given {values} as well"
        return f"{fact}; its arguments are {', '.join(positional)}"
    fact = f"{kind} takes {', '.join(positional) or 'nothing'} by position, and was given {values} as well"
    pronoun = "it" if len(surplus) == 1 else "them"
    return f"{fact}; write {pronoun} by name: {', '.join(f'{name}=' for name in named)}"


_EXAMPLES: Mapping[str, str] = {
    "Check": 'Check("positive_amount", "amount > 0")',
    "Column": 'Column("id", LongType())',
    "Deprecated": "Deprecated(date(2026, 1, 31))",
    "ForeignKey": 'ForeignKey(["customer_id"], "dev.silver.customers")',
    "PrimaryKey": 'PrimaryKey(["id"])',
    "Unique": 'Unique(["email"])',
}
"""A whole call of each declaration that has required arguments."""


def missing_arguments(kind: str, required: Sequence[str], given: Mapping[str, object]) -> str:
    """Return the message for a declaration that lacks required arguments."""
    if kind == _TABLE:
        return _of_a_table(given)
    lacks = ", ".join(name for name in required if name not in given)
    shown = ", ".join(map(repr, given.values()))
    return f"{kind}({shown}) lacks {lacks}; write {kind}({', '.join(required)}), such as {_EXAMPLES[kind]}"


_TABLE = "Table"
_NAME_PARTS = ("catalog_name", "schema_name", "table_name")
_PLACEHOLDERS = ("catalog", "schema", "table")


def refuse_lists(parts: Sequence[object]) -> None:
    """Refuse the three parts of a name if one is a list, because parts before it are missing."""
    if any(isinstance(part, (list, tuple)) for part in parts):
        raise DeclarationError(_of_a_table(dict(zip(_NAME_PARTS, parts, strict=True))))


def _of_a_table(given: Mapping[str, object]) -> str:
    texts: list[str] = []
    for part in _NAME_PARTS:
        text = given.get(part)
        if not isinstance(text, str):
            break
        texts.append(text)
    name = ".".join(texts)
    parts = [part for part in name.split(".") if part]
    if len(texts) == len(_NAME_PARTS):
        return f"Table {name} lacks columns; write " + _call(texts, f"{_EXAMPLES['Column']}, ...")
    fact = f"Table was given the name {name!r}" if name else "Table was given no name"
    if len(parts) == len(_NAME_PARTS):
        return f"{fact}, whose three parts are three arguments; write {_call(parts)}"
    known = parts[-len(_NAME_PARTS) :]
    call = _call([*_PLACEHOLDERS[: len(_NAME_PARTS) - len(known)], *known])
    return f"{fact}, and a name has three parts: catalog, schema and table; write {call}"


def _call(parts: Sequence[str], columns: str = "...") -> str:
    return "Table(" + ", ".join(f'"{part}"' for part in parts) + f", [{columns}])"

"""The rule about texts: a name, comment, key, value or expression that UTF-8 cannot encode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.part_path import WHOLE_TABLE, part_path
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.spark_types import nested_types
from pytest_delta_schema.state.type_traversal import parts_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.delta.names.part_path import Part
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.types import DataTypeState


_READ_BY_NAME = (
    *("catalog_name", "schema_name", "table_name", "comment", "table_properties", "tags"),
    *("columns", "checks", "foreign_keys", "unique"),
)
"""The arguments of a table whose texts messages name in their own words."""

_WITHOUT_TEXTS = ("primary_key", "partitioned_by", "clustered_by", "column_order", "owns", "evolution", "origin")
"""The arguments of a table that are names of its columns, or words to choose from."""

_OTHER_ARGUMENTS = tuple(
    argument.name for argument in fields(Table) if argument.name not in {*_READ_BY_NAME, *_WITHOUT_TEXTS}
)


class UnencodableText:
    r"""A name, comment, property, tag or expression holds a lone surrogate (U+D800 to U+DFFF).

    It is half of a character, which UTF-8 cannot encode.

    Remedy: Write the whole character.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], comment="\ud83d")
    """

    code = "DS122"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every text of ``table`` that UTF-8 cannot encode."""
        kinds = list(_texts(table))
        # One test for all of them, because nearly all texts can be encoded.
        if _is_encodable("".join(chain.from_iterable(kind.values for kind in kinds))):
            return
        for kind in kinds:
            for name, value in zip(kind.names, kind.values, strict=True):
                if not _is_encodable(value):
                    subject = kind.subject.format(column=ascii(name))
                    fact = f"{subject} {value!a} holds half a character (a lone surrogate)"
                    message = f"{fact}, which UTF-8 cannot encode"
                    path = WHOLE_TABLE if kind.part is None else part_path(kind.part, name)
                    yield violation(self, table.qualified_name, path, message, "write the whole character")


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Texts(NamedTuple):
    """Texts of one kind."""

    subject: str
    """The words that messages use for one of them; ``{column}`` is replaced by the name."""
    part: Part | None
    """The part of the table to which they belong; ``None`` for the table itself."""
    names: Sequence[str]
    """The column or the check of each."""
    values: Sequence[str]


def _texts(table: Table) -> Iterator[_Texts]:
    """Yield every text of a model."""
    yield _at(None, "", "the name", [table.qualified_name])
    yield _at(None, "", "the comment", [table.comment or ""])
    yield _at(None, "", "property", _pairs(table.table_properties))
    yield _at(None, "", "tag", _pairs(table.tags))
    for check in table.checks:
        yield _at("checks", check.name, "the name of check", [check.name])
        yield _at("checks", check.name, "the expression of a check", [check.expression])
    for named_key in table.named_keys:
        yield _at(None, "", f"the name of a {named_key.kind}", [named_key.name or ""])
    for key in table.foreign_keys:
        yield _at(None, "", "the parent of a foreign key", [str(key.parent)])
    for argument in _OTHER_ARGUMENTS:
        value = getattr(table, argument)
        if value:
            yield _at(None, "", f"the argument {argument}", _texts_in(value))
    columns, names = table.columns, [column.name for column in table.columns]
    yield _Texts("the name of column", "columns", names, names)
    yield _Texts("the comment of a column", "columns", names, [column.comment or "" for column in columns])
    defaults = ["" if column.default is None else str(column.default) for column in columns]
    yield _Texts("the default of a column", "columns", names, defaults)
    yield _Texts("the expression of a column", "columns", names, [column.generated_as or "" for column in columns])
    for column in columns:
        if column.tags:
            yield _at("columns", column.name, "tag", _pairs(column.tags))
        if column.deprecated is not None:
            yield _at("columns", column.name, "the replacement of a column", [column.deprecated.use])
    for name, data_type in nested_types(columns):
        fields, comments = _texts_below(data_type)
        column_names = (name,) * len(fields)
        yield _Texts("a field of column {column}", "columns", column_names, fields)
        yield _Texts("the comment of a field of column {column}", "columns", column_names, comments)


@lru_cache(maxsize=1024)
def _texts_below(data_type: DataTypeState) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of all fields in a type, and their comments."""
    fields = parts_below(data_type)
    return tuple(field.name for field in fields), tuple(field.comment for field in fields)


def _at(part: Part | None, name: str, subject: str, values: Iterable[str]) -> _Texts:
    """Return texts that all belong to one part of the table."""
    texts = list(values)
    return _Texts(subject, part, [name] * len(texts), texts)


def _texts_in(value: object) -> Iterator[str]:
    """Yield every text in the value of an argument."""
    if isinstance(value, str):
        yield value
    elif is_dataclass(value):
        for part in fields(value):
            yield from _texts_in(getattr(value, part.name))
    elif isinstance(value, Iterable):
        for item in value:
            yield from _texts_in(item)


def _pairs(values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        yield key
        yield str(value)

"""The rule about texts: a name, comment, key, value or expression that UTF-8 cannot encode."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.spark_types import nested_types
from pytest_delta_schema.state.types import below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


class UnencodableText:
    """A name, comment, property, tag or expression holds a lone surrogate (U+D800 to U+DFFF).

    It is half of a character, which UTF-8 cannot encode. Write the whole character.
    """

    code = "DS122"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every text of ``table`` that UTF-8 cannot encode."""
        for text in _texts(table):
            if not text.value.isascii() and not _is_encodable(text.value):
                fact = f"{text.subject} {text.value!a} holds half a character (a lone surrogate)"
                message = f"{fact}, which UTF-8 cannot encode"
                yield violation(self, table.qualified_name, text.path, message, "write the whole character")


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Text(NamedTuple):
    """A text of a model, with the path and the words that messages use for it."""

    path: str
    subject: str
    value: str


def _texts(table: Table) -> Iterator[_Text]:
    """Yield every text of a model."""
    yield _Text("", "the name", table.qualified_name)
    yield _Text("", "the comment", table.comment or "")
    yield from (_Text("", "property", text) for text in _pairs(table.table_properties))
    yield from (_Text("", "tag", text) for text in _pairs(table.tags))
    for check in table.checks:
        yield _Text(check.name, "the name of check", check.name)
        yield _Text(check.name, "the expression of a check", check.expression)
    for named_key in table.named_keys:
        yield _Text("", f"the name of a {named_key.kind}", named_key.name or "")
    for key in table.foreign_keys:
        yield _Text("", "the parent of a foreign key", str(key.parent))
    for column in table.columns:
        yield _Text(column.name, "the name of column", column.name)
        yield _Text(column.name, "the comment of a column", column.comment or "")
        yield _Text(column.name, "the default of a column", str(column.default))
        yield _Text(column.name, "the expression of a column", column.generated_as or "")
        yield from (_Text(column.name, "tag", text) for text in _pairs(column.tags))
    for name, data_type in nested_types(table.columns):
        for field in _fields(data_type):
            yield _Text(name, f"a field of column {name!a}", field.name)
            yield _Text(name, f"the comment of a field of column {name!a}", field.comment)


def _pairs(values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        yield key
        yield str(value)


def _fields(data_type: DataTypeState) -> Iterator[ColumnState]:
    """Yield every part below a type, at any depth."""
    for part in below(data_type):
        yield part
        yield from _fields(part.data_type)

"""Rules about the texts of a model: every name, comment, key, value and expression can be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.types import below, nested_types

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
        for path, subject, text in _texts(table):
            if not text.isascii() and not _is_encodable(text):
                message = f"{subject} {text!a} holds half a character (a lone surrogate), which UTF-8 cannot store"
                yield violation(self, table.qualified_name, path, message, "write the whole character")


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _texts(table: Table) -> Iterator[tuple[str, str, str]]:
    """Yield path, subject and text of everything that a model says."""
    yield "", "the name", table.qualified_name
    yield "", "the comment", table.comment or ""
    yield from (("", "property", text) for text in _pairs(table.table_properties))
    yield from (("", "tag", text) for text in _pairs(table.tags))
    for check in table.checks:
        yield check.name, "the name of check", check.name
        yield check.name, "the expression of a check", check.expression
    for key in table.foreign_keys:
        yield "", "the name of a foreign key", key.name or ""
        yield "", "the parent of a foreign key", str(key.parent)
    for column in table.columns:
        yield column.name, "the name of column", column.name
        yield column.name, "the comment of a column", column.comment or ""
        yield column.name, "the default of a column", str(column.default)
        yield column.name, "the expression of a column", column.generated_as or ""
        yield from ((column.name, "tag", text) for text in _pairs(column.tags))
    for name, data_type in nested_types(table.columns):
        for field in _fields(data_type):
            yield name, f"a field of column {name!a}", field.name
            yield name, f"the comment of a field of column {name!a}", field.comment


def _pairs(values: Mapping[str, object]) -> Iterator[str]:
    for key, value in values.items():
        yield key
        yield str(value)


def _fields(data_type: DataTypeState) -> Iterator[ColumnState]:
    """Yield every part below a type, at any depth."""
    for part in below(data_type):
        yield part
        yield from _fields(part.data_type)

"""Read what a catalog shows: the words of a statement, for parts that no parser knows, and types of Databricks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.sqlglot_compat import SqlglotError, TokenType, exp, tokenize
from pytest_delta_schema.state.types import ArrayState, ColumnState, MapState, StructState

if TYPE_CHECKING:
    from pytest_delta_schema.state.types import DataTypeState

_DIALECT = "databricks"


class SqlWord(NamedTuple):
    """A word, a sign, a quoted name or a literal.

    Args:
        text: The word as it is written; a quoted name or a string without its quotes.
        keyword: The word or the sign in upper case; ``""`` for a quoted name or a string.
        start: The position of its first character in the statement.
        end: The position of its last character.
    """

    text: str
    keyword: str
    start: int
    end: int


def sql_words(text: str) -> list[SqlWord]:
    """Return the words of a statement, without white space and comments.

    Args:
        text: A statement, such as SHOW CREATE TABLE returns it.

    Raises:
        ValueError: If a quote is not closed.
    """
    try:
        tokens = tokenize(text, dialect=_DIALECT)
    except SqlglotError as error:
        msg = f"the SQL cannot be split into words: {error}"
        raise ValueError(msg) from error
    return [
        SqlWord(
            token.text,
            "" if token.token_type in (TokenType.IDENTIFIER, TokenType.STRING) else token.text.upper(),
            token.start,
            token.end,
        )
        for token in tokens
    ]


_NESTED = {"array", "map", "struct"}


def parse_databricks_type(text: str) -> DataTypeState:
    """Read a type, as Unity Catalog on Databricks shows it.

    Args:
        text: Such as ``struct<a:int,b:array<decimal(10,2)>>``, in any case.

    Raises:
        ValueError: If it cannot be understood.
    """
    if not any(kind in text.lower() for kind in _NESTED):
        return text.lower().replace(" ", "") if "(" in text else text.lower()
    try:
        return _type(exp.DataType.build(text, dialect=_DIALECT))
    except (SqlglotError, IndexError) as error:
        msg = f"type {text} cannot be understood"
        raise ValueError(msg) from error


def _type(node: Any) -> DataTypeState:
    if node.this == exp.DataType.Type.STRUCT:
        return StructState(tuple(map(_field, node.expressions)))
    if node.this == exp.DataType.Type.ARRAY:
        return ArrayState(_type(node.expressions[0]), contains_null=True)
    if node.this == exp.DataType.Type.MAP:
        key, value = map(_type, node.expressions)
        return MapState(key, value, value_contains_null=True)
    return node.sql(_DIALECT).lower().replace(", ", ",")  # type: ignore[no-any-return]


def _field(node: Any) -> ColumnState:
    kinds = [constraint.kind for constraint in node.args.get("constraints") or ()]
    comment = next((kind.this.this for kind in kinds if isinstance(kind, exp.CommentColumnConstraint)), "")
    is_nullable = not any(isinstance(kind, exp.NotNullColumnConstraint) for kind in kinds)
    return ColumnState(node.this.this, _type(node.args["kind"]), is_nullable, comment)

"""Split SQL into words, for parts of statements that a catalog shows and no parser knows."""

from __future__ import annotations

from typing import NamedTuple

from pytest_delta_schema.sqlglot_compat import SqlglotError, TokenType, tokenize


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
        tokens = tokenize(text, dialect="databricks")
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

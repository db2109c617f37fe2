"""Statements that a catalog shows, split into words."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.kit import sql_words


def test_quoted_names_and_strings_are_no_keywords():
    text = "CREATE TABLE `generated` (\n  id int COMMENT 'as' -- as\n)"

    words = sql_words(text)

    assert [word.text for word in words] == ["CREATE", "TABLE", "generated", "(", "id", "int", "COMMENT", "as", ")"]
    assert [word.keyword for word in words] == ["CREATE", "TABLE", "", "(", "ID", "INT", "COMMENT", "", ")"]
    assert [text[word.start : word.end + 1] for word in words[4:6]] == ["id", "int"]


def test_an_open_quote_is_an_error():
    with pytest.raises(ValueError, match=r"^the SQL cannot be split into words: .*"):
        sql_words("CREATE TABLE `orders")

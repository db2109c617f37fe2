"""SQL with its parts marked for colours.

Pygments, which pytest installs, has no lexer for Spark SQL: its lexers for other SQL split names in back-quotes or
misread backslashes in literals, and take up to 80 microseconds for a statement, which is too long for 10,000 of them.
"""

from __future__ import annotations

import re

from pytest_delta_schema.diagnostics.escaping import COMMENT, LITERAL, NAME, RAW_LITERAL, escaped_literals
from pytest_delta_schema.report.html.markup import Html, verbatim

_KEYWORDS = (
    "ADD AFTER ALTER ALWAYS AND AS BETWEEN BY CASCADE CASE CHECK CLUSTER COLUMN COLUMNS COMMENT CONSTRAINT CONVERT"
    " CREATE DATA DEFAULT DELTA DROP ELSE END EXISTS FALSE FIRST FOREIGN FROM GENERATED IDENTITY IF IN INCREMENT INTO"
    " IS KEY LIKE NONE NORELY NOT NULL OF ON OR OVERWRITE PARTITIONED PRIMARY REFERENCES RELY RENAME REORG REPLACE"
    " RESTORE SCHEMA SELECT SET START TABLE TAG TAGS TBLPROPERTIES THEN TO TRUE TYPE UNIQUE UNSET USING VALUES VERSION"
    " WHEN WHERE WITH"
)
_TYPES = (
    "ARRAY BIGINT BINARY BOOLEAN BYTE CHAR DATE DECIMAL DOUBLE FLOAT INT INTEGER INTERVAL LONG MAP REAL SHORT SMALLINT"
    " STRING STRUCT TIMESTAMP TIMESTAMP_NTZ TINYINT VARCHAR VARIANT"
)
_WORDS = {**dict.fromkeys(_KEYWORDS.split(), "<b>{}</b>"), **dict.fromkeys(_TYPES.split(), "<i class=type>{}</i>")}
_OTHERS = r"[^\x20-\x25\x27-\x3b\x3d\x3f-\x7e\n]"
_PARTS = (
    f"(?s)(?P<name>{NAME})|(?P<literal>{RAW_LITERAL}|{LITERAL})|(?P<comment>{COMMENT})|(?P<word>[A-Za-z_]\\w*)"
    f"|(?P<number>\\d[\\w.]*)|{_OTHERS}"
)
_UNWRITABLE = "[\x00\ud800-\udfff]"


def sql_markup(sql: str) -> Html:
    """Return SQL as markup for ``pre``: the text stays what can be run."""
    # A file in UTF-8 cannot hold halves of characters, and HTML cannot hold NUL; no catalog stores names with them.
    legible = re.sub(_UNWRITABLE, "\ufffd", escaped_literals(sql))
    return Html(re.sub(_PARTS, _marked, legible).replace("</b> <b>", " "))


def _marked(match: re.Match[str]) -> str:
    kind = match.lastgroup
    token = match[0]
    if kind == "word":
        return _WORDS.get(token.upper(), "{}").format(verbatim(token))
    # Its own line ends would become different ones when the page is read.
    shown = verbatim(token).replace("\r", "&#13;")
    # Names have no colour; in those of other scripts the direction of the text ends with the name.
    return shown if kind is None or (kind == "name" and token.isascii()) else f"<i class={kind}>{shown}</i>"

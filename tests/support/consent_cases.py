"""Misleading consents: texts written by accident or in bad faith, and what each may consent to.

``STORED`` holds tables with columns that no model declares, ``MODELS`` their models. All that a case may agree to
stands in ``agrees``; whatever else an apply drops under it is a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from pytest_delta_schema import Column, QualifiedName, Table
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from pytest_delta_schema.state import TableState

Path = tuple[str, ...]

CYRILLIC = "l\u0435gacy"
"""``legacy`` with a Cyrillic letter that looks the same."""

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
HIDDEN = "legacy\u200b"
REVERSED = "\u202eycagel"
ESCAPE = "esc\x1b[2K"
LINES = "legacy\nother"
DOLLARS = "$(touch owned)"

ORDERS: Path = ("dev", "silver", "orders")
DOTTED: Path = ("dev", "silver", "orders.x")
LINES_TABLE: Path = ("dev", "silver", "lines")
GOLD: Path = ("dev", "gold", "orders")
PROD: Path = ("prod", "silver", "orders")
ODD: Path = ("dev", "silver", "o[1]")


def _struct(*names: str) -> StructType:
    return StructType([StructField(name, LongType()) for name in names])


_MAPPED = {"delta.columnMapping.mode": "name"}
_ID = Column("id", LongType())
_KEPT = (
    _ID,
    Column("a", _struct("c")),
    Column("x", _struct("z")),
    Column("addr", _struct("city")),
    Column("items", ArrayType(_struct("n"))),
)
_ODD_COLUMNS = (
    *("legacy", "a.b", "q.r", CYRILLIC, COMPOSED, DECOMPOSED, HIDDEN, REVERSED, ESCAPE, LINES, DOLLARS),
    *("old column", " lead", "trail ", "back`quote", "it's", 'say "so"', "\\u001b", "*", "l*", "l[aeiou]gacy"),
    *("stra\u00dfe", "strasse", "element", "\u017fecret"),
)
_MORE = (*(Column(name, LongType()) for name in _ODD_COLUMNS), Column("zip", StringType()))
_BEFORE = (
    _ID,
    Column("a", _struct("b", "c")),
    Column("x", _struct("y", "z")),
    Column("addr", _struct("city", "zip")),
    Column("items", ArrayType(_struct("n", "gone"))),
)


def _table(name: Path, *columns: Column) -> Table:
    catalog, schema, short_name = name
    return Table(catalog, schema, short_name, list(columns), table_properties=_MAPPED)


MODELS: tuple[Table, ...] = (
    _table(ORDERS, *_KEPT),
    *(_table(name, _ID) for name in (DOTTED, LINES_TABLE, GOLD, PROD, ODD)),
)

_OTHER = (_ID, Column("legacy", LongType()), Column("y", LongType()), Column("zip", LongType()))
STORED: dict[QualifiedName, TableState] = {
    QualifiedName(*model.name): desired_state(model)
    for model in (
        _table(ORDERS, *_BEFORE, *_MORE),
        *(_table(name, *_OTHER) for name in (DOTTED, LINES_TABLE, GOLD, PROD, ODD)),
    )
}


class ConsentCase(NamedTuple):
    """One text that is offered as a consent.

    Args:
        title: What it tries.
        text: The action and the path.
        agrees: The full paths of the columns that it agrees to drop, in lower case.
        refusal: A part of the message if it is refused where it is read; ``""`` if it is understood.
        is_entry: Whether it stands in a file, where paths may be patterns.
    """

    title: str
    text: str
    agrees: tuple[Path, ...] = ()
    refusal: str = ""
    is_entry: bool = False


def _text(title: str, text: str, *agrees: str | Path, refusal: str = "", is_entry: bool = False) -> ConsentCase:
    """Return a case; a column that it agrees to drop is one of the orders, or a whole path."""
    paths = tuple((*ORDERS, column) if isinstance(column, str) else column for column in agrees)
    return ConsentCase(title, text, paths, refusal, is_entry)


def _drop(title: str, path: str, *agrees: str | Path, refusal: str = "") -> ConsentCase:
    return _text(title, f"drop-column {path}", *agrees, refusal=refusal)


def _pattern(title: str, path: str, *agrees: str | Path, refusal: str = "") -> ConsentCase:
    return _text(title, f"drop-column {path}", *agrees, refusal=refusal, is_entry=True)


_WORD = "is more than a word and needs back-quotes"
_EMPTY = "a part of its path is empty"
_QUOTES = "its back-quotes do not enclose whole parts"
_PATTERN = "is a pattern"
_NO_COLUMN = "names no column; write"
_NO_TABLE = "names no table; write"
_NO_ACTION = "names no known action"
_ALL = "would permit everything"

CONSENT_CASES: tuple[ConsentCase, ...] = (
    # what is meant to work
    _drop("plain", "dev.silver.orders.legacy", "legacy"),
    _drop("another case", "DEV.Silver.ORDERS.Legacy", "legacy"),
    _text("blanks around", "  drop-column \t dev.silver.orders.legacy \r\n", "legacy"),
    _drop("a field", "dev.silver.orders.addr.zip", (*ORDERS, "addr", "zip")),
    _drop(
        "a field of an array's element", "dev.silver.orders.items.element.gone", (*ORDERS, "items", "element", "gone")
    ),
    # dots
    _drop("a dotted column in back-quotes", "dev.silver.orders.`a.b`", "a.b"),
    _drop("a field beside a dotted column, each part in back-quotes", "dev.silver.orders.`a`.`b`", (*ORDERS, "a", "b")),
    _drop("a field beside a dotted column, one part in back-quotes", "dev.silver.orders.a.`b`", (*ORDERS, "a", "b")),
    _drop("a field or a dotted column", "dev.silver.orders.a.b"),
    _drop("a dotted column without back-quotes", "dev.silver.orders.q.r"),
    _drop("a dotted table in back-quotes", "dev.silver.`orders.x`.y", (*DOTTED, "y")),
    _drop("the whole path as one name", "`dev.silver.orders.legacy`", refusal=_NO_COLUMN),
    _drop("table and column as one name", "dev.silver.`orders.legacy`", refusal=_NO_COLUMN),
    _drop("a dot too many", "dev.silver.orders..legacy", refusal=_EMPTY),
    _drop("dots only", "...", refusal=_EMPTY),
    _drop("an empty name in back-quotes", "dev.silver.orders.``", refusal=_EMPTY),
    _drop("a wide dot", "dev.silver.orders\uff0elegacy", refusal=_NO_COLUMN),
    _drop("a struct for its field", "dev.silver.orders.addr"),
    _drop("a field for its struct", "dev.silver.orders.legacy.zip"),
    _drop("the last part of a longer path", "dev.silver.orders.zip", "zip"),
    _drop("an array without its element", "dev.silver.orders.items.gone"),
    # back-quotes and other quotes
    _drop("a back-quote, doubled", "dev.silver.orders.`back``quote`", "back`quote"),
    _drop("a back-quote alone", "dev.silver.orders.`legacy", refusal=_QUOTES),
    _drop("text behind back-quotes", "dev.silver.orders.`legacy`x", refusal=_QUOTES),
    _drop("back-quotes that close too early", "dev.silver.orders.`legacy``", refusal=_QUOTES),
    _drop("single quotes", "dev.silver.orders.'legacy'", refusal=_WORD),
    _drop("an apostrophe in back-quotes", "dev.silver.orders.`it's`", "it's"),
    _drop("double quotes in back-quotes", 'dev.silver.orders.`say "so"`', 'say "so"'),
    _drop("a command of a shell", "dev.silver.orders.`$(touch owned)`", DOLLARS),
    # blanks
    _drop("a blank in a name", "dev.silver.orders.`old column`", "old column"),
    _drop("a blank without back-quotes", "dev.silver.orders.old column", refusal=_WORD),
    _drop("two consents in one", "dev.silver.orders.legacy drop-column dev.silver.lines.legacy", refusal=_WORD),
    _drop("two consents with a comma", "dev.silver.orders.legacy,zip"),
    _drop("a blank in front of a name", "dev.silver.orders.` lead`", " lead"),
    _drop("a blank behind a name", "dev.silver.orders.`trail `", "trail "),
    _drop("a blank behind a name is not trimmed", "dev.silver.orders.`legacy `"),
    _drop("a blank behind a dot", "dev.silver.orders. legacy", refusal=_WORD),
    _drop("a blank that nobody sees", "dev.silver.orders.legacy\u200b", refusal=_WORD),
    _drop("a blank that nobody sees, in back-quotes", "dev.silver.orders.`legacy\u200b`", HIDDEN),
    # characters that look alike, and other forms of one character
    _drop("a letter that looks the same", f"dev.silver.orders.{CYRILLIC}", CYRILLIC),
    _drop("composed", f"dev.silver.orders.{COMPOSED}", COMPOSED),
    _drop("decomposed", f"dev.silver.orders.{DECOMPOSED}", DECOMPOSED),
    _drop("a sharp s is no ss", "dev.silver.orders.strasse", "strasse"),
    _drop("a capital sharp s is a sharp s", "dev.silver.orders.stra\u1e9ee", "stra\u00dfe"),
    _drop("a long s is no s", "dev.silver.orders.secret"),
    _drop("from right to left", f"dev.silver.orders.{REVERSED}", refusal=_WORD),
    _drop("from right to left, by its number", r"dev.silver.orders.`\u202eycagel`", REVERSED),
    # control characters
    _drop("an escape by its number", r"dev.silver.orders.`esc\u001b[2K`", "esc\x1b[2k"),
    _drop("a line break by its number", r"dev.silver.orders.`legacy\u000aother`", LINES),
    _drop("a character that is none", "dev.silver.orders.legacy\x00", refusal=_WORD),
    # patterns where there are none
    _drop("a star", "dev.silver.orders.*", refusal=_PATTERN),
    _drop("a star in a word", "dev.silver.orders.l*", refusal=_PATTERN),
    _drop("two stars", "dev.silver.**", refusal=_NO_COLUMN),
    _drop("brackets", "dev.silver.orders.l[aeiou]gacy", refusal=_PATTERN),
    _drop("a column that is called like a pattern", "dev.silver.orders.`l[aeiou]gacy`", "l[aeiou]gacy"),
    _drop("a column that is called star", "dev.silver.orders.`*`", "*"),
    _drop("a table that is called like a pattern", "dev.silver.`o[1]`.legacy", (*ODD, "legacy")),
    # patterns in a file
    _pattern("one part", "dev.silver.*.legacy", *((*name, "legacy") for name in (ORDERS, DOTTED, LINES_TABLE, ODD))),
    _pattern(
        "one part is not two", "dev.silver.*.zip", *((*name, "zip") for name in (ORDERS, DOTTED, LINES_TABLE, ODD))
    ),
    _pattern("any number of parts", "dev.silver.orders.**.zip", "zip", (*ORDERS, "addr", "zip")),
    _pattern("any number of parts in front", "**.silver.orders.legacy", (*ORDERS, "legacy"), (*PROD, "legacy")),
    _pattern("a star within a word", "dev.silver.orders.leg*", "legacy", HIDDEN, LINES),
    _pattern("two stars within a word", "dev.silver.orders.a**", refusal="inside of a part"),
    _pattern("everything", "**", refusal=_ALL),
    _pattern("any name of one character and more", "?*.?*.?*.?*", refusal=_ALL),
    _pattern("any column of one character and more", "**.?*", refusal=_ALL),
    _pattern("any column by its first letter", "**.[a-z]*", refusal=_ALL),
    _pattern("one word in brackets is a pattern", "**.[l]egacy", refusal=_ALL),
    _pattern("every column of one table", "*.*.lines.?*", *((*LINES_TABLE, name) for name in ("legacy", "y", "zip"))),
    _pattern("brackets are a pattern", "dev.silver.o[1].legacy"),
    _pattern("back-quotes are none", "dev.silver.`o[1]`.legacy", (*ODD, "legacy")),
    _pattern("a star in back-quotes", "dev.silver.orders.`l*`", "l*"),
    _pattern("a field or a dotted column, in a file", "dev.silver.orders.a.b"),
    _pattern("too few parts for a pattern", "dev.*.legacy", refusal=_NO_COLUMN),
    # actions
    _text("another action's consent", "rewrite dev.silver.orders"),
    _text("a column for a table", "rewrite dev.silver.orders.legacy", refusal=_NO_TABLE),
    _text("any table", "rewrite **", refusal=_ALL, is_entry=True),
    _text("an action in another case", "DROP-COLUMN dev.silver.orders.legacy", refusal=_NO_ACTION),
    _text("an action that is none", "drop-table dev.silver.orders", refusal=_NO_ACTION),
    _text("an action and nothing", "drop-column", refusal=_EMPTY),
    _text("nothing", "", refusal=_NO_ACTION),
    # names of others
    _drop("a table of the same name in another schema", "dev.gold.orders.legacy", (*GOLD, "legacy")),
    _drop("a table of the same name in another catalog", "prod.silver.orders.legacy", (*PROD, "legacy")),
    _drop("the end of a table's name", "silver.orders.legacy", refusal=_NO_COLUMN),
    _drop("the beginning of a table's name", "dev.silver.order.legacy"),
)

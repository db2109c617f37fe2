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
_MORE = (
    *(Column(name, LongType()) for name in _ODD_COLUMNS),
    Column("zip", StringType()),
)
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


def _drop(path: str) -> str:
    return f"drop-column {path}"


def _here(*path: str) -> tuple[Path, ...]:
    return ((*ORDERS, *path),)


_WORD = "is more than a word and needs back-quotes"
_EMPTY = "a part of its path is empty"
_QUOTES = "its back-quotes do not enclose whole parts"
_PATTERN = "is a pattern"
_NO_COLUMN = "names no column; write"
_NO_TABLE = "names no table; write"
_NO_ACTION = "names no known action"

CONSENT_CASES: tuple[ConsentCase, ...] = (
    # what is meant to work
    ConsentCase("plain", _drop("dev.silver.orders.legacy"), _here("legacy")),
    ConsentCase("another case", _drop("DEV.Silver.ORDERS.Legacy"), _here("legacy")),
    ConsentCase("another case in back-quotes", _drop("`DEV`.`Silver`.`ORDERS`.`LEGACY`"), _here("legacy")),
    ConsentCase("blanks around", "  drop-column \t dev.silver.orders.legacy \r\n", _here("legacy")),
    ConsentCase("a field", _drop("dev.silver.orders.addr.zip"), _here("addr", "zip")),
    ConsentCase(
        "a field of an array's element",
        _drop("dev.silver.orders.items.element.gone"),
        _here("items", "element", "gone"),
    ),
    # dots
    ConsentCase("a dotted column in back-quotes", _drop("dev.silver.orders.`a.b`"), _here("a.b")),
    ConsentCase(
        "a field beside a dotted column, each part in back-quotes",
        _drop("dev.silver.orders.`a`.`b`"),
        _here("a", "b"),
    ),
    ConsentCase(
        "a field beside a dotted column, one part in back-quotes",
        _drop("dev.silver.orders.a.`b`"),
        _here("a", "b"),
    ),
    ConsentCase("a field or a dotted column", _drop("dev.silver.orders.a.b")),
    ConsentCase("a dotted column without back-quotes", _drop("dev.silver.orders.q.r")),
    ConsentCase("a dotted table in back-quotes", _drop("dev.silver.`orders.x`.y"), ((*DOTTED, "y"),)),
    ConsentCase("a field, which a dotted table could mean", _drop("dev.silver.orders.`x`.`y`"), _here("x", "y")),
    ConsentCase("the whole path as one name", _drop("`dev.silver.orders.legacy`"), refusal=_NO_COLUMN),
    ConsentCase("catalog and schema as one name", _drop("`dev.silver`.orders.legacy"), refusal=_NO_COLUMN),
    ConsentCase("table and column as one name", _drop("dev.silver.`orders.legacy`"), refusal=_NO_COLUMN),
    ConsentCase("a dot too many", _drop("dev.silver.orders..legacy"), refusal=_EMPTY),
    ConsentCase("a dot in front", _drop(".dev.silver.orders.legacy"), refusal=_EMPTY),
    ConsentCase("a dot behind", _drop("dev.silver.orders.legacy."), refusal=_EMPTY),
    ConsentCase("dots only", _drop("..."), refusal=_EMPTY),
    ConsentCase("an empty name in back-quotes", _drop("dev.silver.orders.``"), refusal=_EMPTY),
    ConsentCase("a wide dot", _drop("dev.silver.orders\uff0elegacy"), refusal=_NO_COLUMN),
    ConsentCase("a struct for its field", _drop("dev.silver.orders.addr")),
    ConsentCase("a field for its struct", _drop("dev.silver.orders.legacy.zip")),
    ConsentCase("the last part of a longer path", _drop("dev.silver.orders.zip"), _here("zip")),
    ConsentCase("an array without its element", _drop("dev.silver.orders.items.gone")),
    # back-quotes and other quotes
    ConsentCase("a back-quote, doubled", _drop("dev.silver.orders.`back``quote`"), _here("back`quote")),
    ConsentCase("a back-quote alone", _drop("dev.silver.orders.`legacy"), refusal=_QUOTES),
    ConsentCase("a back-quote inside of a word", _drop("dev.silver.orders.back`quote"), refusal=_QUOTES),
    ConsentCase("text behind back-quotes", _drop("dev.silver.orders.`legacy`x"), refusal=_QUOTES),
    ConsentCase("back-quotes that close too early", _drop("dev.silver.orders.`legacy``"), refusal=_QUOTES),
    ConsentCase("single quotes", _drop("dev.silver.orders.'legacy'"), refusal=_WORD),
    ConsentCase("double quotes", _drop('dev.silver.orders."legacy"'), refusal=_WORD),
    ConsentCase("an apostrophe in back-quotes", _drop("dev.silver.orders.`it's`"), _here("it's")),
    ConsentCase("an apostrophe by its number", _drop(r"dev.silver.orders.`it\u0027s`"), _here("it's")),
    ConsentCase("double quotes in back-quotes", _drop('dev.silver.orders.`say "so"`'), _here('say "so"')),
    ConsentCase("a command of a shell", _drop("dev.silver.orders.`$(touch owned)`"), _here(DOLLARS)),
    # blanks
    ConsentCase("a blank in a name", _drop("dev.silver.orders.`old column`"), _here("old column")),
    ConsentCase("a blank without back-quotes", _drop("dev.silver.orders.old column"), refusal=_WORD),
    ConsentCase(
        "two consents in one",
        _drop("dev.silver.orders.legacy drop-column dev.silver.lines.legacy"),
        refusal=_WORD,
    ),
    ConsentCase("two consents on two lines", _drop("dev.silver.orders.legacy\ndev.silver.lines.legacy"), refusal=_WORD),
    ConsentCase("two consents with a comma", _drop("dev.silver.orders.legacy,zip")),
    ConsentCase("a blank in front of a name", _drop("dev.silver.orders.` lead`"), _here(" lead")),
    ConsentCase("a blank behind a name", _drop("dev.silver.orders.`trail `"), _here("trail ")),
    ConsentCase("a blank behind a name is not trimmed", _drop("dev.silver.orders.`legacy `")),
    ConsentCase("a blank behind a dot", _drop("dev.silver.orders. legacy"), refusal=_WORD),
    ConsentCase("a blank that does not break", _drop("dev.silver.orders.legacy\u00a0"), refusal=_WORD),
    ConsentCase("a blank that nobody sees", _drop("dev.silver.orders.legacy\u200b"), refusal=_WORD),
    ConsentCase("a blank that nobody sees, in back-quotes", _drop("dev.silver.orders.`legacy\u200b`"), _here(HIDDEN)),
    # characters that look alike, and other forms of one character
    ConsentCase("a letter that looks the same", _drop(f"dev.silver.orders.{CYRILLIC}"), _here(CYRILLIC)),
    ConsentCase("a table with a letter that looks the same", _drop("dev.silver.\u043erders.legacy")),
    ConsentCase("composed", _drop(f"dev.silver.orders.{COMPOSED}"), _here(COMPOSED)),
    ConsentCase("decomposed", _drop(f"dev.silver.orders.{DECOMPOSED}"), _here(DECOMPOSED)),
    ConsentCase("wide letters", _drop("dev.silver.orders.\uff4c\uff45\uff47\uff41\uff43\uff59")),
    ConsentCase("a sharp s is no ss", _drop("dev.silver.orders.strasse"), _here("strasse")),
    ConsentCase("a capital sharp s is a sharp s", _drop("dev.silver.orders.stra\u1e9ee"), _here("stra\u00dfe")),
    ConsentCase("a long s is no s", _drop("dev.silver.orders.secret")),
    ConsentCase("from right to left", _drop(f"dev.silver.orders.{REVERSED}"), refusal=_WORD),
    ConsentCase("from right to left, by its number", _drop(r"dev.silver.orders.`\u202eycagel`"), _here(REVERSED)),
    # control characters
    ConsentCase("an escape", _drop(f"dev.silver.orders.{ESCAPE}"), refusal=_WORD),
    ConsentCase("an escape in back-quotes", _drop(f"dev.silver.orders.`{ESCAPE}`"), _here(ESCAPE)),
    ConsentCase("an escape by its number", _drop(r"dev.silver.orders.`esc\u001b[2K`"), _here("esc\x1b[2k")),
    ConsentCase("a name that looks like a number", _drop(r"dev.silver.orders.`\u005cu001b`"), _here("\\u001b")),
    ConsentCase("a line break in a name", _drop("dev.silver.orders.`legacy\nother`"), _here(LINES)),
    ConsentCase("a line break by its number", _drop(r"dev.silver.orders.`legacy\u000aother`"), _here(LINES)),
    ConsentCase("a character that is none", _drop("dev.silver.orders.legacy\x00"), refusal=_WORD),
    # patterns where there are none
    ConsentCase("a star", _drop("dev.silver.orders.*"), refusal=_PATTERN),
    ConsentCase("a star in a word", _drop("dev.silver.orders.l*"), refusal=_PATTERN),
    ConsentCase("two stars", _drop("dev.silver.**"), refusal=_NO_COLUMN),
    ConsentCase("a question mark", _drop("dev.silver.orders.legac?"), refusal=_PATTERN),
    ConsentCase("brackets", _drop("dev.silver.orders.l[aeiou]gacy"), refusal=_PATTERN),
    ConsentCase(
        "a column that is called like a pattern",
        _drop("dev.silver.orders.`l[aeiou]gacy`"),
        _here("l[aeiou]gacy"),
    ),
    ConsentCase("a column that is called star", _drop("dev.silver.orders.`*`"), _here("*")),
    ConsentCase("a table that is called like a pattern", _drop("dev.silver.`o[1]`.legacy"), ((*ODD, "legacy"),)),
    # patterns in a file
    ConsentCase(
        "one part",
        _drop("dev.silver.*.legacy"),
        tuple((*name, "legacy") for name in (ORDERS, DOTTED, LINES_TABLE, ODD)),
        is_entry=True,
    ),
    ConsentCase(
        "one part is not two",
        _drop("dev.silver.*.zip"),
        tuple((*name, "zip") for name in (ORDERS, DOTTED, LINES_TABLE, ODD)),
        is_entry=True,
    ),
    ConsentCase(
        "any number of parts",
        _drop("dev.silver.orders.**.zip"),
        (*_here("zip"), *_here("addr", "zip")),
        is_entry=True,
    ),
    ConsentCase(
        "any number of parts in front",
        _drop("**.silver.orders.legacy"),
        ((*ORDERS, "legacy"), (*PROD, "legacy")),
        is_entry=True,
    ),
    ConsentCase(
        "a star within a word",
        _drop("dev.silver.orders.leg*"),
        (*_here("legacy"), *_here(HIDDEN), *_here(LINES)),
        is_entry=True,
    ),
    ConsentCase("two stars within a word", _drop("dev.silver.orders.a**"), refusal="inside of a part", is_entry=True),
    ConsentCase("everything", _drop("**"), refusal="would permit everything", is_entry=True),
    ConsentCase("everything, by parts", _drop("*.*.*.*"), refusal="would permit everything", is_entry=True),
    ConsentCase(
        "any name of one character and more",
        _drop("?*.?*.?*.?*"),
        refusal="would permit everything",
        is_entry=True,
    ),
    ConsentCase(
        "any column of one character and more",
        _drop("**.?*"),
        refusal="would permit everything",
        is_entry=True,
    ),
    ConsentCase("any column by its first letter", _drop("**.[a-z]*"), refusal="would permit everything", is_entry=True),
    ConsentCase("any column with a letter", _drop("**.*e*"), refusal="would permit everything", is_entry=True),
    ConsentCase(
        "one word in brackets is a pattern",
        _drop("**.[l]egacy"),
        refusal="would permit everything",
        is_entry=True,
    ),
    ConsentCase(
        "every column of one table",
        _drop("*.*.lines.?*"),
        tuple((*LINES_TABLE, name) for name in ("legacy", "y", "zip")),
        is_entry=True,
    ),
    ConsentCase("brackets are a pattern", _drop("dev.silver.o[1].legacy"), is_entry=True),
    ConsentCase("back-quotes are none", _drop("dev.silver.`o[1]`.legacy"), ((*ODD, "legacy"),), is_entry=True),
    ConsentCase("a star in back-quotes", _drop("dev.silver.orders.`l*`"), _here("l*"), is_entry=True),
    ConsentCase("a field or a dotted column, in a file", _drop("dev.silver.orders.a.b"), is_entry=True),
    ConsentCase("too few parts for a pattern", _drop("dev.*.legacy"), refusal=_NO_COLUMN, is_entry=True),
    # actions
    ConsentCase("another action's consent", "rewrite dev.silver.orders"),
    ConsentCase("a column for a table", "rewrite dev.silver.orders.legacy", refusal=_NO_TABLE),
    ConsentCase("any table", "rewrite **", refusal="would permit everything", is_entry=True),
    ConsentCase("an action in another case", "DROP-COLUMN dev.silver.orders.legacy", refusal=_NO_ACTION),
    ConsentCase("an action that is none", "drop-table dev.silver.orders", refusal=_NO_ACTION),
    ConsentCase("an action and nothing", "drop-column", refusal=_EMPTY),
    ConsentCase("nothing", "", refusal=_NO_ACTION),
    # names of others
    ConsentCase("a table of the same name in another schema", _drop("dev.gold.orders.legacy"), ((*GOLD, "legacy"),)),
    ConsentCase(
        "a table of the same name in another catalog",
        _drop("prod.silver.orders.legacy"),
        ((*PROD, "legacy"),),
    ),
    ConsentCase("the end of a table's name", _drop("silver.orders.legacy"), refusal=_NO_COLUMN),
    ConsentCase("the beginning of a table's name", _drop("dev.silver.order.legacy")),
    ConsentCase("a longer name of a table", _drop("dev.silver.orders2.legacy")),
)

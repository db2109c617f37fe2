"""Pairs of a released contract and the next one: twelve contracts, each edit of them, and edits that come together."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types

from pytest_delta_schema import Check, Column, Identity, PrimaryKey, Table, Unique
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, TEXT
from support.models import columns_of, table
from support.record import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Edit = Callable[[Table], Table]
    Row = Mapping[str, Any]

COUNT = 603  # with three that are no contract
FILLED = {"delta.feature.allowColumnDefaults": "supported"}
FEATURES = {**BOTH, **FILLED}
TIMES = {**FEATURES, "delta.feature.timestampNtz": "supported"}
ID = Column("id", LONG, is_nullable=False)
PLAIN = columns_of(
    "id bigint not null; a int; b string; c bigint; v varchar(20); s struct<x: int, y: string>; d decimal(10,2);"
    " e int not null"
)
TEXTS = columns_of(
    "id bigint not null; b string; v varchar(9); k char(9); s struct<t: varchar(9), k: char(4)>; l array<varchar(9)>;"
    " m map<varchar(4), varchar(9)>; n array<struct<t: string>>; i int"
)
NESTED = columns_of(
    "id bigint not null; s struct<a: int, b: int>; t struct<a: string, b: int>; l array<struct<a: int, b: int>>;"
    " m map<string, struct<a: int, b: int>>; d struct<p: struct<a: int, b: bigint>, q: int>; v int"
)
NUMBERS = columns_of(
    "id bigint not null; f double; q float; r timestamp; t date; o boolean; i int; j smallint; k decimal(10,2); b string"
)
PARTS = columns_of("id bigint not null; b string; c int; e string not null; day date")
LIMITED = columns_of("id bigint not null; v int; w int not null; b string; n int; o int not null")
VALUES = (
    ID,
    Column("a", INT, default=1),
    Column("b", TEXT),
    Column("w", INT, is_nullable=False, default=2),
    Column("g", LONG, generated_as="id + 1"),
    Column("h", LONG),
    Column("z", LONG, is_nullable=False),
)
NUMBERED = (
    ID,
    Column("n", LONG, identity=Identity(always=False)),
    Column("z", LONG, is_nullable=False),
    Column("b", TEXT),
)
CHECKS = [
    Check("v_positive", "v > 0"),
    Check("w_range", "w > 0 AND w < 100"),
    Check("b_known", "b IN ('a', 'b', 'c')"),
    Check("n_given", "n IS NOT NULL"),
]
BASES: dict[str, Table] = {
    "plain": table(*PLAIN, table_properties=FEATURES),
    "ordered": table(*PLAIN, table_properties=FEATURES, column_order="manage"),
    "checked": table(
        *PLAIN,
        table_properties={**FEATURES, "delta.appendOnly": "false"},
        checks=[Check("c_small", "c IS NULL OR c < 1000")],
        primary_key=PrimaryKey(["id"], name="pk"),
        unique=[Unique(["e"], name="e_once")],
    ),
    "texts": table(*TEXTS, table_properties=FEATURES),
    "texts and generated": table(*TEXTS, Column("g", LONG, generated_as="id + 1"), table_properties=FEATURES),
    "nested": table(*NESTED, table_properties=FEATURES),
    "numbers": table(*NUMBERS, table_properties=TIMES),
    "values": table(*VALUES, table_properties=FEATURES),
    "numbered": table(*NUMBERED, table_properties=FEATURES),
    "unpartitioned": table(*PARTS),
    "partitioned": table(*PARTS, partitioned_by=["b"]),
    "limited": table(*LIMITED, checks=CHECKS),
}
"""The released contracts."""


class Pair(NamedTuple):
    """A released contract and the next one."""

    base: str
    edits: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the pair in messages and in the record."""
        return f"{self.base}: {', '.join(self.edits)}"

    @property
    def old(self) -> Table:
        """The released contract."""
        return BASES[self.base]

    @property
    def new(self) -> Table:
        """The next contract."""
        model = self.old
        for edit in self.edits:
            model = EDITS[edit](model)
        return model

    @property
    def digest(self) -> str:
        """Eight digits that change with the contracts."""
        states = (desired_state(model) for model in (self.old, self.new))
        parts = [
            (state.columns, state.checks, sorted(state.table_properties.items()), state.partitioning, state.clustering)
            for state in states
        ]
        return digest_of(parts)


def _column(name: str, new: Column | None) -> Edit:
    def edit(model: Table) -> Table:
        columns = [new if column.name == name else column for column in model.columns]
        return replace(model, columns=[column for column in columns if column is not None])

    return edit


def _as(new: Column) -> Edit:
    return _column(new.name, new)


def _typed(name: str, text: str) -> Edit:
    data_type = Column(name, text).data_type

    def edit(model: Table) -> Table:
        columns = [replace(column, data_type=data_type) if column.name == name else column for column in model.columns]
        return replace(model, columns=columns)

    return edit


def _added(column: Column) -> Edit:
    return lambda model: replace(model, columns=[*model.columns, column])


def _property(key: str, value: str) -> Edit:
    return lambda model: replace(model, table_properties={**model.table_properties, key: value})


def _with(**parts: Any) -> Edit:
    return lambda model: replace(model, **parts)


def _check(name: str, condition: str) -> Edit:
    """Give a check another condition, or add it."""

    def edit(model: Table) -> Table:
        others = [check for check in model.checks if check.name != name]
        return replace(model, checks=[*others, Check(name, condition)])

    return edit


def _unchecked(name: str) -> Edit:
    return lambda model: replace(model, checks=[check for check in model.checks if check.name != name])


def _swapped(model: Table) -> Table:
    names = {"v_positive": "b_known", "b_known": "v_positive"}
    return replace(model, checks=[Check(names.get(check.name, check.name), check.expression) for check in model.checks])


def _last_first(model: Table) -> Table:
    *others, last = model.columns
    return replace(model, columns=[last, *others], column_order="manage")


_TYPES: Mapping[str, Mapping[str, str]] = {
    "texts": {
        "b": "varchar(5) | char(5) | varchar(200) | char(30)",
        "v": "varchar(5) | char(5) | char(9) | char(12) | varchar(12) | string",
        "k": "char(5) | char(12) | varchar(5) | varchar(9) | string",
        "s": (
            "struct<t: varchar(5), k: char(4)> | struct<t: char(5), k: char(4)>"
            " | struct<t: varchar(9), k: char(2)> | struct<t: varchar(12), k: char(4)>"
            " | struct<t: string, k: string> | struct<k: char(4), t: varchar(9)>"
        ),
        "l": "array<varchar(5)> | array<char(5)> | array<varchar(12)> | array<string>",
        "m": (
            "map<varchar(2), varchar(9)> | map<varchar(4), varchar(5)> | map<varchar(4), char(5)>"
            " | map<varchar(6), varchar(12)>"
        ),
        "n": "array<struct<t: varchar(5)>> | array<struct<t: char(5)>>",
        "i": "varchar(3) | char(3) | varchar(20) | string",
    },
    "nested": {
        "s": (
            "struct<b: int, a: int> | struct<a: bigint, b: int> | struct<b: bigint, a: int>"
            " | struct<b: int, a: int, c: int> | struct<b: bigint, a: bigint>"
        ),
        "t": "struct<b: int, a: string> | struct<b: bigint, a: string> | struct<a: string, b: string>",
        "l": (
            "array<struct<b: int, a: int>> | array<struct<b: bigint, a: int>> | array<struct<a: bigint, b: int>>"
            " | array<struct<a: int, b: int, c: int>>"
        ),
        "m": (
            "map<string, struct<b: int, a: int>> | map<string, struct<b: bigint, a: int>>"
            " | map<string, struct<a: bigint, b: int>>"
        ),
        "d": (
            "struct<p: struct<b: bigint, a: int>, q: int> | struct<q: int, p: struct<a: int, b: bigint>>"
            " | struct<q: bigint, p: struct<b: bigint, a: int>> | struct<p: struct<a: int, b: int>, q: int>"
        ),
        "v": "bigint | double",
    },
    "numbers": {
        "f": "float | decimal(10,2) | string | int",
        "q": "double | int | decimal(20,2)",
        "r": "date | timestamp_ntz | string",
        "t": "timestamp | timestamp_ntz | string",
        "o": "int | string",
        "i": "boolean | smallint | double | float | bigint | date | decimal(10,2) | decimal(12,2) | string",
        "j": "int | tinyint | string",
        "k": "decimal(8,2) | decimal(12,4) | decimal(10,4) | int | double | string",
        "b": "int | date | binary | boolean",
    },
}
"""Types of columns, with bars between them, one of which a column gets."""

EDITS: dict[str, Edit] = {
    "a gone": _column("a", None),
    "a widened": _typed("a", "bigint"),
    "a is text": _typed("a", "string"),
    "a NOT NULL": _as(Column("a", INT, is_nullable=False)),
    "a has a default": _as(Column("a", INT, default=7)),
    "a described": _as(Column("a", INT, comment="How many")),
    "b renamed": _column("b", Column("b2", TEXT, renamed_from="b")),
    "b gone": _column("b", None),
    "b short": _typed("b", "varchar(5)"),
    "c narrower": _typed("c", "int"),
    "c checked": _check("c_positive", "c > 0"),
    "c unchecked": _unchecked("c_small"),
    "c checked less": _check("c_small", "c IS NULL OR c < 2000"),
    "c checked more": _check("c_small", "c IS NULL OR c < 100"),
    "v shorter": _typed("v", "varchar(5)"),
    "v longer": _typed("v", "varchar(40)"),
    "v is string": _typed("v", "string"),
    "s.z added": _typed("s", "struct<x: int, y: string, z: int>"),
    "s.y gone": _typed("s", "struct<x: int>"),
    "s turned": _typed("s", "struct<y: string, x: int>"),
    "s turned and wider": _typed("s", "struct<y: string, x: bigint>"),
    "d wider": _typed("d", "decimal(12,2)"),
    "d double": _typed("d", "double"),
    "e may be NULL": _as(Column("e", INT)),
    "n added": _added(Column("n", TEXT)),
    "m NOT NULL added": _added(Column("m", INT, is_nullable=False)),
    "m NOT NULL with a default added": _added(Column("m", INT, is_nullable=False, default=0)),
    "g generated": _added(Column("g", LONG, generated_as="id + 1")),
    "i identity": _added(Column("i", LONG, identity=True)),
    "y of char added": _added(Column("y", "struct<a: char(4)>")),
    "last first": _last_first,
    "by b": _with(partitioned_by=["b"]),
    "by e": _with(partitioned_by=["e"]),
    "by c": _with(partitioned_by=["c"]),
    "by day": _with(partitioned_by=["day"]),
    "by b and e": _with(partitioned_by=["b", "e"]),
    "by nothing": _with(partitioned_by=()),
    "clustered by c": _with(clustered_by=["c"], partitioned_by=()),
    "described": _with(comment="All of them"),
    "another key": _with(primary_key=PrimaryKey(["id", "e"], name="pk")),
    "no key": _with(primary_key=()),
    "unique": _with(unique=[Unique(["c"], name="c_once")]),
    "feed": _property("delta.enableChangeDataFeed", "true"),
    "append only": _property("delta.appendOnly", "true"),
    "deletion vectors": _property("delta.enableDeletionVectors", "true"),
    "mapped": _property("delta.columnMapping.mode", "name"),
    "widens": _property("delta.enableTypeWidening", "true"),
    "checkpoints of version 2": _property("delta.checkpointPolicy", "v2"),
    "row tracking": _property("delta.enableRowTracking", "true"),
    "commit timestamps": _property("delta.enableInCommitTimestamps", "true"),
    "times without zone": _property("delta.feature.timestampNtz", "supported"),
    "version 3, 7": lambda model: _property("delta.minReaderVersion", "3")(
        _property("delta.minWriterVersion", "7")(model)
    ),
    "version 2, 5": lambda model: _property("delta.minReaderVersion", "2")(
        _property("delta.minWriterVersion", "5")(model)
    ),
    "version 1, 4": _property("delta.minWriterVersion", "4"),
    "short log": _property("delta.logRetentionDuration", "interval 10 days"),
    "tuned": _property("delta.targetFileSize", "33554432"),
    "team": _property("team", "x"),
    "c NOT NULL": _as(Column("c", INT, is_nullable=False)),
    "e short": _as(Column("e", "varchar(5)", is_nullable=False)),
    "a default 5": _as(Column("a", INT, default=5)),
    "a no default": _as(Column("a", INT)),
    "b default": _as(Column("b", TEXT, default="'x'")),
    "w default 3": _as(Column("w", INT, is_nullable=False, default=3)),
    "w no default": _as(Column("w", INT, is_nullable=False)),
    "g id + 2": _as(Column("g", LONG, generated_as="id + 2")),
    "g plain": _as(Column("g", LONG)),
    "h generated": _as(Column("h", LONG, generated_as="id * 2")),
    "h default": _as(Column("h", LONG, default=0)),
    "n plain": _as(Column("n", LONG)),
    "n always": _as(Column("n", LONG, identity=True)),
    "n step": _as(Column("n", LONG, identity=Identity(100, 5, always=False))),
    "z identity": _as(Column("z", LONG, is_nullable=False, identity=Identity(always=False))),
    "z numbered always": _as(Column("z", LONG, is_nullable=False, identity=True)),
    "z generated": _as(Column("z", LONG, is_nullable=False, generated_as="id + 3")),
    "v >= 0": _check("v_positive", "v >= 0"),
    "v > 1": _check("v_positive", "v > 1"),
    "v > 10": _check("v_positive", "v > 10"),
    "0 < v": _check("v_positive", "0 < v"),
    "v > 0 OR v IS NULL": _check("v_positive", "v > 0 OR v IS NULL"),
    "v <> 0": _check("v_positive", "v <> 0"),
    "v unchecked": _unchecked("v_positive"),
    "v > 0, again": _check("v_again", "v > 0"),
    "v > -1, too": _check("v_above", "v > -1"),
    "v < 1000, too": _check("v_below", "v < 1000"),
    "v < 20, too": _check("v_below", "v < 20"),
    "v NOT NULL": _as(Column("v", INT, is_nullable=False)),
    "w >= 0": _check("w_range", "w >= 0 AND w <= 100"),
    "w from 1 to 50": _check("w_range", "w BETWEEN 1 AND 50"),
    "w from 1 to 99": _check("w_range", "w BETWEEN 1 AND 99"),
    "w > 0": _check("w_range", "w > 0"),
    "w may be NULL": _as(Column("w", INT)),
    "b of four": _check("b_known", "b IN ('c', 'b', 'a', 'd')"),
    "b of two": _check("b_known", "b IN ('a', 'b')"),
    "b <> x": _check("b_known", "b <> 'x'"),
    "b is a letter": _check("b_known", "length(b) = 1"),
    "n NOT NULL for its check": lambda model: _unchecked("n_given")(_as(Column("n", INT, is_nullable=False))(model)),
    "n NOT NULL": _as(Column("n", INT, is_nullable=False)),
    "n unchecked": _unchecked("n_given"),
    "o checked and not NOT NULL": lambda model: _check("o_given", "o IS NOT NULL")(_as(Column("o", INT))(model)),
    "o checked": _check("o_given", "o IS NOT NULL"),
    "o may be NULL": _as(Column("o", INT)),
    "two checks swap their names": _swapped,
}
"""The changes of a contract, each of one part."""

ONLY: dict[str, tuple[str, ...]] = {
    "plain": (
        *("a gone", "a widened", "a is text", "a NOT NULL", "a has a default", "a described", "b renamed", "b gone"),
        *("b short", "c narrower", "c checked", "v shorter", "v longer", "v is string", "s.z added"),
        *("s.y gone", "s turned", "s turned and wider", "d wider", "d double", "e may be NULL", "n added"),
        *("m NOT NULL added", "m NOT NULL with a default added", "g generated", "i identity", "last first", "by b"),
        *("by e", "clustered by c", "described", "another key", "unique", "feed", "append only", "deletion vectors"),
        *("short log", "tuned", "team"),
    ),
    "texts": ("g generated", "y of char added", "n gone", "team"),
    "nested": ("n added", "last first", "team"),
    "numbers": ("n added", "team"),
    "values": (
        *("a default 5", "a no default", "b default", "w default 3", "w no default", "g id + 2", "g plain"),
        *("h generated", "h default", "z generated", "y of char added", "last first"),
    ),
    "numbered": ("n plain", "n always", "n step", "z identity", "z numbered always", "z generated", "last first"),
    "unpartitioned": (
        *("by b", "by e", "by c", "by day", "by b and e", "clustered by c", "b short", "c NOT NULL", "e short"),
        *("feed", "append only", "deletion vectors", "mapped", "widens", "checkpoints of version 2", "row tracking"),
        *("commit timestamps", "times without zone", "version 3, 7", "version 2, 5", "version 1, 4", "team"),
    ),
    "limited": (
        *("v >= 0", "v > 1", "v > 10", "0 < v", "v > 0 OR v IS NULL", "v <> 0", "v unchecked", "v > 0, again"),
        *("v > -1, too", "v < 1000, too", "v < 20, too", "v NOT NULL", "w >= 0", "w from 1 to 50", "w from 1 to 99"),
        *("w > 0", "w may be NULL", "b of four", "b of two", "b <> x", "b is a letter", "n NOT NULL for its check"),
        *("n NOT NULL", "n unchecked", "o checked and not NOT NULL", "o checked", "o may be NULL"),
        "two checks swap their names",
    ),
}
"""The edits that each released contract has."""

EDITS["n gone"] = _column("n", None)
for _base, _columns in _TYPES.items():
    for _name, _kinds in _columns.items():
        _edits = {f"{_base} {_name}: {_kind}": _typed(_name, _kind) for _kind in _kinds.split(" | ")}
        EDITS.update(_edits)
        ONLY[_base] += (*_edits,)
ONLY |= {
    "ordered": ONLY["plain"],
    "checked": (*ONLY["plain"], "c unchecked", "c checked less", "c checked more", "no key"),
    "texts and generated": tuple(
        edit for edit in ONLY["texts"] if edit != "g generated" and not edit.startswith("texts i")
    ),
    "partitioned": (*ONLY["unpartitioned"], "by nothing", "b gone"),
}

_TOGETHER: tuple[frozenset[str], ...] = (
    frozenset({"by b", "b gone"}),
    frozenset({"by b", "b renamed"}),
    frozenset({"clustered by c", "c narrower"}),
    frozenset({"another key", "e may be NULL"}),
    frozenset({"another key", "no key"}),
    frozenset({"v unchecked", "two checks swap their names"}),
)
"""Edits that are no declaration together."""


def _part(edit: str) -> str:
    """Return the part that an edit is about: a column, the layout, or the property."""
    for base in _TYPES:
        edit = edit.removeprefix(f"{base} ")
    word = edit.split(maxsplit=1)[0].partition(".")[0].rstrip(":")
    layout = {"by", "clustered"}
    if word in layout:
        return "layout"
    return {"0": "v", "version": "version", "mapped": "mapped"}.get(word, word)


def fit(edits: tuple[str, ...]) -> bool:
    """Whether edits touch different parts, and together are a declaration."""
    parts = [_part(edit) for edit in edits]
    if "two" in parts and {"v", "b"} & {*parts}:
        return False
    return len(parts) == len({*parts}) and not any(together <= {*edits} for together in _TOGETHER)


_ALIKE = {
    "ordered": ("n added", "g generated", "last first", "b renamed", "a gone"),
    "checked": ("c narrower", "c checked", "another key", "b gone"),
}
"""The edits that come alone to the contracts that are otherwise like the plain one."""


@cache
def all_pairs() -> tuple[Pair, ...]:
    """Return the same 600 pairs in every run: each edit of each base alone, and random ones of two or three edits."""
    random = Random(2026)  # noqa: S311 - the same pairs in every run
    pairs = [
        Pair(base, (edit,))
        for base, edits in ONLY.items()
        for edit in edits
        if BASES[base] != EDITS[edit](BASES[base])
        if base not in _ALIKE or edit not in ONLY["plain"] or edit in _ALIKE[base]
    ]
    chosen = {frozenset((pair.base, *pair.edits)) for pair in pairs}
    while len(pairs) < COUNT:
        base = random.choice([*BASES])
        pair = Pair(base, tuple(random.sample(ONLY[base], random.choice((2, 3)))))
        key = frozenset((pair.base, *pair.edits))
        if key not in chosen and fit(pair.edits) and all(EDITS[edit](pair.old) != pair.old for edit in pair.edits):
            chosen.add(key)
            pairs.append(pair)
    return tuple(pair for pair in pairs if not _lacks_partition(pair.new))


def _lacks_partition(model: Table) -> bool:
    """Whether a contract is partitioned by a column that it does not have, so no table can be made of it."""
    return not {*model.partitioned_by} <= {column.name for column in model.columns}


TEXT_LENGTH = 300
"""How long the longest text of a job is, in a column without a length."""

_LIMITS = {"tinyint": 2**7 - 1, "smallint": 2**15 - 1, "int": 2**31 - 1, "bigint": 2**40}
KINDS_OF_VALUES = ("first", "second", "extreme", "empty")


def sample(data_type: types.DataType, kind: str) -> Any:  # noqa: PLR0911 - one for each kind of type
    """Return a value of a type: one of two ordinary ones, the largest one, or an empty one."""
    at = KINDS_OF_VALUES.index(kind)
    if isinstance(data_type, types.StructType):
        return {field.name: _shifted(field, number, kind) for number, field in enumerate(data_type.fields)}
    if isinstance(data_type, types.ArrayType):
        return [sample(data_type.elementType, kind)]
    if isinstance(data_type, types.MapType):
        return {sample(data_type.keyType, kind): sample(data_type.valueType, kind)}
    if isinstance(data_type, types.DecimalType):
        largest = Decimal(10**data_type.precision - 1).scaleb(-data_type.scale)
        return [Decimal(1), Decimal("2.5"), largest, Decimal(0)][at]
    name = data_type.simpleString()
    if name in _LIMITS:
        return [1, 2, _LIMITS[name], 0][at]
    if name.startswith(("string", "varchar", "char")):
        length = getattr(data_type, "length", TEXT_LENGTH)
        return ["t1", "t2", "x" * length, ""][at]
    values: dict[str, list[Any]] = {
        "double": [1.0, 2.5, 1e300, 0.1],
        "float": [1.0, 2.5, 2.0**99, 0.5],
        "boolean": [True, False, True, False],
        "date": [date(2026, 1, 1), date(2026, 1, 2), date(9999, 12, 31), date(1970, 1, 1)],
        "timestamp": [
            datetime(2026, 1, 1),  # noqa: DTZ001 - frames have times of the session
            datetime(2026, 1, 2),  # noqa: DTZ001 - frames have times of the session
            datetime(2026, 1, 31, 10, 20, 30, 123456),  # noqa: DTZ001 - frames have times of the session
            datetime(1970, 1, 1),  # noqa: DTZ001 - frames have times of the session
        ],
    }
    return values[name][at]


def _shifted(field: types.StructField, number: int, kind: str) -> Any:
    """Return a value of a field that differs from those of the other fields of its type."""
    value = sample(field.dataType, kind)
    if isinstance(value, int) and not isinstance(value, bool):
        return value - number * 10 if kind == "extreme" else value + number * 10
    return value


_CHOSEN: dict[str, dict[str, dict[str, Any]]] = {
    "checked": {"c": {"first": 10, "second": 20, "extreme": -(2**40), "empty": 500}},
    # The value of a partition is the name of a folder, which file systems limit.
    **{base: {name: {"extreme": "x" * 20} for name in ("b", "e")} for base in ("unpartitioned", "partitioned")},
    "limited": {
        "v": {"first": 15, "second": 17, "extreme": 5000, "empty": 1, "missing": 2},
        "w": {"first": 5, "second": 7, "extreme": 99, "empty": 1},
        "b": {"first": "a", "second": "b", "extreme": "c", "empty": "a", "missing": "b"},
        "n": {"first": 5, "second": 7, "extreme": 50, "empty": 0, "missing": 3},
    },
}
"""Values that satisfy the checks of a contract, where those of the types do not."""


def row(base: str, number: int, kind: str) -> Row:
    """Return a row of a released contract: of ordinary, extreme or empty values, or NULL wherever that is allowed."""
    values: dict[str, Any] = {}
    for column in BASES[base].columns:
        given = _CHOSEN.get(base, {}).get(column.name, {})
        if column.name == "id":
            values["id"] = number
        elif column.generated_as is not None or column.name == "h":
            values[column.name] = number + 1
        elif kind in given:
            values[column.name] = given[kind]
        elif kind == "missing":
            values[column.name] = None if column.is_nullable else sample(column.data_type, "first")
        else:
            values[column.name] = sample(column.data_type, kind)
    return values

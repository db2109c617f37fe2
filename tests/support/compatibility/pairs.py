"""Random pairs of models: a released contract, and the next one, with one to three edits."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema import Check, Column, PrimaryKey, Table, Unique
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, TEXT, field, struct
from support.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Edit = Callable[[Table], Table]

COUNT = 300
FEATURES = {**BOTH, "delta.feature.allowColumnDefaults": "supported"}
COLUMNS = (
    Column("id", LONG, is_nullable=False),
    Column("a", INT),
    Column("b", TEXT),
    Column("c", LONG),
    Column("v", "varchar(20)"),
    Column("s", struct(field("x", INT), field("y", TEXT))),
    Column("d", "decimal(10,2)"),
    Column("e", INT, is_nullable=False),
)
BASES: dict[str, Table] = {
    "plain": table(*COLUMNS, table_properties=FEATURES),
    "ordered": table(*COLUMNS, table_properties=FEATURES, column_order="manage"),
    "checked": table(
        *COLUMNS,
        table_properties={**FEATURES, "delta.appendOnly": "false"},
        checks=[Check("c_small", "c IS NULL OR c < 1000")],
        primary_key=PrimaryKey(["id"], name="pk"),
        unique=[Unique(["e"], name="e_once")],
    ),
}
"""The released contracts."""


class Pair(NamedTuple):
    """A released contract and the next one."""

    base: str
    edits: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the pair in messages."""
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


def _column(name: str, new: Column | None) -> Edit:
    def edit(model: Table) -> Table:
        columns = [new if column.name == name else column for column in model.columns]
        return replace(model, columns=[column for column in columns if column is not None])

    return edit


def _added(column: Column) -> Edit:
    return lambda model: replace(model, columns=[*model.columns, column])


def _property(key: str, value: str) -> Edit:
    return lambda model: replace(model, table_properties={**model.table_properties, key: value})


def _with(**parts: Any) -> Edit:
    return lambda model: replace(model, **parts)


def _last_first(model: Table) -> Table:
    *others, last = model.columns
    return replace(model, columns=[last, *others], column_order="manage")


EDITS: Mapping[str, Edit] = {
    "a gone": _column("a", None),
    "a widened": _column("a", Column("a", LONG)),
    "a is text": _column("a", Column("a", TEXT)),
    "a NOT NULL": _column("a", Column("a", INT, is_nullable=False)),
    "a has a default": _column("a", Column("a", INT, default=7)),
    "a described": _column("a", Column("a", INT, comment="How many")),
    "b renamed": _column("b", Column("b2", TEXT, renamed_from="b")),
    "b gone": _column("b", None),
    "b short": _column("b", Column("b", "varchar(5)")),
    "c narrower": _column("c", Column("c", INT)),
    "c checked": lambda model: replace(model, checks=[*model.checks, Check("c_positive", "c > 0")]),
    "c unchecked": lambda model: replace(model, checks=[check for check in model.checks if check.name != "c_small"]),
    "v shorter": _column("v", Column("v", "varchar(5)")),
    "v longer": _column("v", Column("v", "varchar(40)")),
    "v is string": _column("v", Column("v", TEXT)),
    "s.z added": _column("s", Column("s", struct(field("x", INT), field("y", TEXT), field("z", INT)))),
    "s.y gone": _column("s", Column("s", struct(field("x", INT)))),
    "d wider": _column("d", Column("d", "decimal(12,2)")),
    "d double": _column("d", Column("d", "double")),
    "e may be NULL": _column("e", Column("e", INT)),
    "n added": _added(Column("n", TEXT)),
    "m NOT NULL added": _added(Column("m", INT, is_nullable=False)),
    "g generated": _added(Column("g", LONG, generated_as="id + 1")),
    "last first": _last_first,
    "by b": _with(partitioned_by=["b"]),
    "clustered by c": _with(clustered_by=["c"]),
    "described": _with(comment="All of them"),
    "another key": _with(primary_key=PrimaryKey(["id", "e"], name="pk")),
    "no key": _with(primary_key=()),
    "unique": _with(unique=[Unique(["c"], name="c_once")]),
    "feed": _property("delta.enableChangeDataFeed", "true"),
    "deletion vectors": _property("delta.enableDeletionVectors", "true"),
    "short log": _property("delta.logRetentionDuration", "interval 10 days"),
    "tuned": _property("delta.targetFileSize", "33554432"),
}
"""The changes of a contract, each of one part."""

_TOGETHER: tuple[frozenset[str], ...] = (
    frozenset({"by b", "clustered by c"}),
    frozenset({"by b", "b gone"}),
    frozenset({"by b", "b renamed"}),
    frozenset({"clustered by c", "c narrower"}),
    frozenset({"another key", "e may be NULL"}),
    frozenset({"another key", "no key"}),
)
"""Edits that are no declaration together."""


def _part(edit: str) -> str:
    return edit.split(maxsplit=1)[0].partition(".")[0]


def _fit(edits: tuple[str, ...]) -> bool:
    """Whether edits touch different parts, and together are a declaration."""
    columns = [_part(edit) for edit in edits if len(_part(edit)) == 1]
    return len(columns) == len({*columns}) and not any(together <= {*edits} for together in _TOGETHER)


def all_pairs() -> list[Pair]:
    """Return the same 300 pairs in every run: each edit of each base alone, and random ones of two or three edits."""
    random = Random(2026)  # noqa: S311 - the same pairs in every run
    pairs = [Pair(base, (edit,)) for base in BASES for edit in EDITS if BASES[base] != EDITS[edit](BASES[base])]
    chosen = {frozenset((pair.base, *pair.edits)) for pair in pairs}
    while len(pairs) < COUNT:
        pair = Pair(random.choice([*BASES]), tuple(random.sample([*EDITS], random.choice((2, 3)))))
        key = frozenset((pair.base, *pair.edits))
        if key not in chosen and _fit(pair.edits) and all(EDITS[edit](pair.old) != pair.old for edit in pair.edits):
            chosen.add(key)
            pairs.append(pair)
    return pairs


def sample() -> list[Pair]:
    """Return few pairs that have every edit."""
    pairs: list[Pair] = []
    left = {*EDITS}
    for pair in sorted(all_pairs(), key=lambda pair: -len(pair.edits)):
        if left and len(left & {*pair.edits}) >= min(2, len(left)):
            pairs.append(pair)
            left -= {*pair.edits}
    return pairs

"""The verdicts on writers: what the released contract's frame meets in the new table, by each method."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.verdict_table import cell_of
from pytest_delta_schema.delta.features import APPEND_ONLY
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.write_check.castable import may_fail
from pytest_delta_schema.write_check.frames import frame_columns
from pytest_delta_schema.write_check.options import WriteOptions
from pytest_delta_schema.write_check.prediction import predict
from pytest_delta_schema.write_check.statements.merge_options import Merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.contract_change import ContractChange, StatePair
    from pytest_delta_schema.compatibility.verdict_table import UpgradeTime
    from pytest_delta_schema.delta.names.part_path import Aspect
    from pytest_delta_schema.settings.compatibility_roles import Role
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState


class Write(NamedTuple):
    """A way to write a table."""

    name: str
    options: WriteOptions | Merge


WRITES_BY_ROLE: Mapping[Role, tuple[Write, ...]] = {
    "writers": (
        Write("save", WriteOptions()),
        Write("save in mode overwrite", WriteOptions(mode="overwrite")),
        Write("saveAsTable", WriteOptions(method="save_as_table")),
        Write("saveAsTable in mode overwrite", WriteOptions(method="save_as_table", mode="overwrite")),
        Write("writeTo", WriteOptions(method="write_to")),
        Write("writeStream", WriteOptions(method="write_stream")),
        Write("INSERT BY NAME", WriteOptions(method="sql_insert", by="name")),
        Write("INSERT OVERWRITE BY NAME", WriteOptions(method="sql_insert", by="name", mode="overwrite")),
        Write("UPDATE", WriteOptions(method="update")),
        Write("DELETE", WriteOptions(method="delete")),
    ),
    "writers-by-position": (
        Write("insertInto", WriteOptions(method="insert_into")),
        Write("insertInto in mode overwrite", WriteOptions(method="insert_into", mode="overwrite")),
        Write("INSERT", WriteOptions(method="sql_insert")),
        Write("INSERT OVERWRITE", WriteOptions(method="sql_insert", mode="overwrite")),
    ),
    "writers-by-merge": (
        Write("UPDATE SET *", Merge(matched="all")),
        Write("INSERT *", Merge(not_matched="all")),
    ),
}
"""How the writers of each role write."""

_OF_PARTITIONS: Mapping[Role, Write] = {
    "writers": Write("overwrites of partitions", WriteOptions(mode="overwrite", dynamic_partitions=True)),
    "writers-by-position": Write(
        "insertInto that overwrites partitions",
        WriteOptions(method="insert_into", mode="overwrite", dynamic_partitions=True),
    ),
}
"""How partitioned tables are written besides."""

REPLACES = "replaces-other-rows"
"""The fault of an overwrite that replaces other rows than before."""
UNFIT = "values-that-do-not-fit"
"""The fault of a write that Spark casts, and that fails for some values."""

_ABOUT: Mapping[str, tuple[Aspect, str]] = {
    REPLACES: ("layout", ""),
    "partitioning": ("layout", ""),
    "append-only": ("properties", folded(APPEND_ONLY)),
}
"""The aspect that faults are about, with the end of its path, where their own path does not say it."""


_REFUSED = "are refused"
_VERBS = {REPLACES: "replace other rows", UNFIT: "are refused where a value does not fit"}
"""What writers meet, if it is not that each of their rows is refused."""


@dataclass(slots=True, kw_only=True)
class Refusals:
    """The writes that are refused because of one change, or replace other rows."""

    writes: dict[str, None] = field(default_factory=dict)
    faults: dict[str, None] = field(default_factory=dict)
    upgrade: UpgradeTime = "before"

    def reason(self, role: Role) -> str:
        """Return what the writers of a role meet."""
        verb = _VERBS.get(next(iter(self.faults)), _REFUSED) if len(self.faults) == 1 else _REFUSED
        word = "by" if role == "writers" else "with"
        return f"{word} {', '.join(self.writes)} {verb} [{', '.join(self.faults)}]"


class RefusedWrite(NamedTuple):
    """A write that the new table refuses and the released one accepts, or with which it replaces other rows."""

    write: Write
    frame: tuple[ColumnState, ...]
    """The columns of what is written."""
    path: str
    """The column or field that the fault is about, with dots; ``""`` for none."""
    fault: str
    upgrade: UpgradeTime


def refusals(
    role: Role, changes: Sequence[ContractChange], states: StatePair, version: tuple[int, int]
) -> Mapping[int, Refusals]:
    """Return the writes that the new table refuses and the released one accepts, by the position of the change.

    A fault that is about none of the changes counts for the first one whose verdict is computed.
    """
    refused: dict[int, Refusals] = {}
    for refusal in refused_writes(role, states, version):
        at = _position(refusal, changes, role)
        known = refused.setdefault(at, Refusals())
        known.writes[refusal.write.name] = None
        known.faults[refusal.fault] = None
        if refusal.upgrade == "after":
            known.upgrade = "after"
    return refused


def refused_writes(role: Role, states: StatePair, version: tuple[int, int]) -> Iterator[RefusedWrite]:
    """Yield the writes that the new table refuses and the released one accepts, or with which other rows go."""
    old, new = states
    wanted = frames_of(new)[0]
    is_cast = {folded(column.name): column.data_type for column in old.columns} != {
        folded(column.name): column.data_type for column in new.columns
    }
    for write in writes_of(role, old):
        options = write.options
        for frame in frames_of(old):
            after = predict(frame, new, options, version)
            is_of_partitions = isinstance(options, WriteOptions) and options.dynamic_partitions
            unfit = [*_unfit(frame, new.columns, role, options)] if is_cast and after.accepted else []
            if after.accepted and not is_of_partitions and not unfit:
                continue
            before = predict(frame, old, options, version)
            if not before.accepted:
                continue
            # Who can write the new frame before the release has a way through it.
            upgrade: UpgradeTime = "before" if predict(wanted, old, options, version).accepted else "after"
            if not after.accepted:
                yield from (
                    RefusedWrite(write, frame, finding.path, finding.rule, upgrade) for finding in after.findings
                )
            elif after.replaces != before.replaces:
                yield RefusedWrite(write, frame, "", REPLACES, "after")
            yield from (RefusedWrite(write, frame, name, UNFIT, upgrade) for name in unfit)


def _unfit(
    frame: Sequence[ColumnState], columns: Sequence[ColumnState], role: Role, options: WriteOptions | Merge
) -> Iterator[str]:
    """Yield the columns of a frame of which the table casts the values, and refuses some."""
    if isinstance(options, WriteOptions) and options.method == "delete":
        return
    by_name = {folded(column.name): column for column in columns}
    named = [by_name.get(folded(column.name)) for column in frame]
    for given, wanted in zip(frame, columns if role == "writers-by-position" else named, strict=False):
        if wanted is not None and may_fail(given.data_type, wanted.data_type):
            yield given.name


def writes_of(role: Role, old: TableState) -> Iterator[Write]:
    """Yield the ways in which the writers of a role write a table."""
    for write in WRITES_BY_ROLE[role]:
        options = write.options
        if old.partitioning and isinstance(options, WriteOptions) and options.method in {"save", "save_as_table"}:
            yield write._replace(options=replace(options, partition_by=old.partitioning))
        else:
            yield write
    if old.partitioning and role in _OF_PARTITIONS:
        yield _OF_PARTITIONS[role]


def frames_of(table: TableState) -> list[tuple[ColumnState, ...]]:
    """Return the frames that writers of a table have: of all columns, and without those that the table fills.

    Nobody gives values to an identity that is always generated.
    """
    given = [column for column in table.columns if not (column.value and _is_always_identity(column.value))]
    frames = [given]
    if any(column.value is not None for column in given):
        frames.append([column for column in given if column.value is None])
    return [frame_columns(tuple(column._replace(value=None) for column in frame)) for frame in frames]


def _is_always_identity(value: ColumnGeneration) -> bool:
    return value.identity is not None and value.identity.is_always


def _position(refusal: RefusedWrite, changes: Sequence[ContractChange], role: Role) -> int:
    """Return the position of the change that a fault is about."""
    about = _ABOUT.get(refusal.fault)
    computed = [at for at, change in enumerate(changes) if cell_of(change.row, role) == "computed"]
    if about is not None:
        aspect, end = about
        same = (at for at, change in enumerate(changes) if change.aspect == aspect)
        return next((at for at in same if folded(changes[at].path).endswith(end)), _first(computed))
    path = folded(refusal.path)
    exact = (at for at in computed if path in changes[at].names)
    around = (at for at in computed if any(_is_inside(path, name) for name in changes[at].names))
    return next(exact, next(around, _first(computed)))


def _first(computed: Sequence[int]) -> int:
    return computed[0] if computed else 0


def _is_inside(path: str, name: str) -> bool:
    return path.startswith(f"{name}.") or bool(path and name.startswith(f"{path}."))

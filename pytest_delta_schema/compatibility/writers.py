"""The effect of a changed contract on those who write: which writes are refused, or store other rows, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.changes import names_after
from pytest_delta_schema.compatibility.column_faults import (
    ColumnRemoved,
    ColumnRenamed,
    DefaultChanged,
    FieldAdded,
    FieldOrderChanged,
    GenerationChanged,
    NullableColumnAdded,
    RequiredColumnAdded,
)
from pytest_delta_schema.compatibility.implication import implied_check, released_promises
from pytest_delta_schema.compatibility.stored_values import ALTERED, SWAPPED, UNFIT, Matching, losses, misplaced
from pytest_delta_schema.compatibility.table_faults import PartitioningChanged
from pytest_delta_schema.delta.names import ColumnPath, NameMap, NameSet, folded
from pytest_delta_schema.delta.protocol import APPEND_ONLY
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.plan.comparison import equal_expressions, renamed_expression
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.state.types import NO_GENERATION, plain
from pytest_delta_schema.write_check.prediction import frame_columns, predict
from pytest_delta_schema.write_check.values import fits_without_cast
from pytest_delta_schema.write_check.verdict import Merge, WriteOptions, write_semantics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.changes import ChangeRow, ContractChange, StatePair
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict, UpgradeTime
    from pytest_delta_schema.settings.table import Role
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState
    from pytest_delta_schema.write_check.verdict import WriteSemantics


class Write(NamedTuple):
    """A way to write a table."""

    name: str
    options: WriteOptions | Merge
    lists_columns: bool = False
    """Whether it is an INSERT with the list of the columns that it writes."""

    def of(self, frame: Sequence[ColumnState]) -> WriteOptions | Merge:
        """Return how it writes a frame."""
        if not self.lists_columns or not frame or isinstance(self.options, Merge):
            return self.options
        return replace(self.options, by=[column.name for column in frame])


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
        Write("INSERT of columns", WriteOptions(method="sql_insert"), lists_columns=True),
        Write("INSERT OVERWRITE of columns", WriteOptions(method="sql_insert", mode="overwrite"), lists_columns=True),
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
GENERATED = "values-of-a-generated-column"
EMPTY = "empty-text-in-a-partition"
FILLED = "filled-with-other-values"
EMPTIED = "empty-texts-become-null"

_OF_ROWS: Mapping[str, str] = {
    REPLACES: "replace other rows",
    UNFIT: "are refused where a value does not fit",
    SWAPPED: "put values into other fields",
    GENERATED: "are refused where the value is not that of the expression",
    EMPTY: "are refused where the text is empty",
    ALTERED: "store other values",
    FILLED: "store other values",
    EMPTIED: "store NULL instead of empty texts",
}
"""What writers meet, if it is not that each of their rows is refused."""

OTHER_ROWS = frozenset({ALTERED, FILLED, EMPTIED})
"""The faults with which no row is refused, and others are stored."""

_REFUSED = "are refused"


class ChangedWrite(NamedTuple):
    """A write that the released table accepts, and that the new one refuses, or with which it has other rows."""

    write: Write
    frame: tuple[ColumnState, ...]
    """The columns of what is written."""
    path: str
    """The column or field that the fault is about, with dots; ``""`` for none."""
    fault: str
    upgrade: UpgradeTime


class ChangedWrites(NamedTuple):
    """The writes that are refused because of one change, or store or replace other rows."""

    verdict: CompatibilityVerdict
    """``dangerous`` if no write is refused, nor replaces rows, and others are stored."""
    writes: Sequence[ChangedWrite]

    @property
    def upgrade(self) -> UpgradeTime:
        """When the writers are upgraded."""
        return "after" if any(write.upgrade == "after" for write in self.writes) else "before"

    def reason(self, role: Role) -> str:
        """Return what the writers of a role meet."""
        names = dict.fromkeys(write.write.name for write in self.writes)
        faults = dict.fromkeys(write.fault for write in self.writes)
        verbs = {_OF_ROWS.get(fault, _REFUSED) for fault in faults}
        verb = verbs.pop() if len(verbs) == 1 else _REFUSED
        return f"{'by' if role == 'writers' else 'with'} {', '.join(names)} {verb} [{', '.join(faults)}]"


def writer_effects(
    role: Role, changes: Sequence[ContractChange], states: StatePair, version: tuple[int, int]
) -> Mapping[int, ChangedWrites]:
    """Return the writes that the change of a table changes, by the position of the change that does so."""
    found: dict[int, list[ChangedWrite]] = {}
    for write in changed_writes(role, states, version):
        found.setdefault(_position(write, changes, role), []).append(write)
    refused = {at: [write for write in writes if write.fault not in OTHER_ROWS] for at, writes in found.items()}
    return {
        at: ChangedWrites("breaking", refused[at]) if refused[at] else ChangedWrites("dangerous", writes)
        for at, writes in found.items()
    }


def changed_writes(role: Role, states: StatePair, version: tuple[int, int]) -> Iterator[ChangedWrite]:
    """Yield the writes that the new table refuses and the released one accepts, or with which it has other rows."""
    old, new = states
    wanted = frames_of(new)[0]
    for write in writes_of(role, old):
        for frame in frames_of(*states):
            options = write.of(frame)
            after = predict(frame, new, options, version)
            faults = [*_faults_of_rows(frame, states, options, version)] if after.accepted else []
            if after.accepted and not faults and write not in _OF_PARTITIONS.values():
                continue
            before = predict(frame, old, options, version)
            if not before.accepted:
                continue
            # Who can write the new frame before the release has a way through it.
            upgrade: UpgradeTime = "before" if predict(wanted, old, write.of(wanted), version).accepted else "after"
            if not after.accepted:
                yield from (
                    ChangedWrite(write, frame, finding.path, finding.rule, upgrade) for finding in after.findings
                )
            elif after.replaces != before.replaces:
                yield ChangedWrite(write, frame, "", REPLACES, "after")
            yield from (ChangedWrite(write, frame, path, fault, upgrade) for path, fault in faults)


def _faults_of_rows(
    frame: tuple[ColumnState, ...], states: StatePair, options: WriteOptions | Merge, version: tuple[int, int]
) -> Iterator[tuple[str, str]]:
    """Yield what happens to single values of a frame that the new table accepts, by columns and fields."""
    method = "merge" if isinstance(options, Merge) else options.method
    if method == "delete":
        return
    old, new = states
    if old.columns != new.columns:
        given = NameSet.of(frame)
        released = [column for column in old.columns if column.name in given]
        semantics = write_semantics(options, version) if isinstance(options, WriteOptions) else None
        matching = _matching(frame, new, semantics)
        lost = [*losses(released, new.columns, matching)]
        if semantics is not None and method != "update" and not matching.inside:
            lost += misplaced(released, new.columns)
        yield from ((str(loss.path), loss.fault) for loss in lost)
        only_updates = method == "update" or (isinstance(options, Merge) and options.not_matched is None)
        yield from _filled(given, states, only_updates=only_updates)
    yield from emptied(NameSet.of(frame), states)


def _matching(frame: Sequence[ColumnState], new: TableState, semantics: WriteSemantics | None) -> Matching:
    """Return which parts a write matches by position; ``None`` are the semantics of a MERGE."""
    if semantics is None or semantics.method not in {"insert_into", "sql_insert"}:
        return Matching(columns=False, fields=False, inside=False)
    by_position, given = semantics.by_position, NameSet.of(frame)
    # An INSERT by name looks at the columns that it has.
    among = new.columns if by_position else [column for column in new.columns if column.name in given]
    in_place = not by_position or [column.name for column in frame] == [column.name for column in among]
    moves = not (in_place and fits_without_cast(among, frame, semantics, widens=False))
    lists_columns = not by_position and not semantics.inserts_by_name
    return Matching(columns=by_position, fields=moves or lists_columns, inside=moves)


def _filled(given: NameSet, states: StatePair, *, only_updates: bool) -> Iterator[tuple[str, str]]:
    """Yield the columns that a table computes or fills in another way than before."""
    names = names_after(states)
    after = NameMap.of(states.new.columns)
    for column in states.old.columns:
        other = after.get(names.get(ColumnPath(column.name), column.name))
        if other is None or _fills_alike(column.value, other.value, names):
            continue
        is_computed = other.value is not None and other.value.generated is not None
        if column.name in given:
            if is_computed:
                yield column.name, GENERATED
        elif is_computed or not only_updates:
            yield column.name, FILLED


def _fills_alike(
    before: ColumnGeneration | None, after: ColumnGeneration | None, names: Mapping[ColumnPath, str]
) -> bool:
    """Whether a table fills a column that a write leaves out with the values that it had before."""
    old, new = before or NO_GENERATION, after or NO_GENERATION
    identities = [value and value[:2] for value in (old.identity, new.identity)]
    return identities[0] == identities[1] and all(
        left == right or (left and right and equal_expressions(renamed_expression(left, names), right))
        for left, right in ((old.default, new.default), (old.generated, new.generated))
    )


def emptied(given: NameSet, states: StatePair) -> Iterator[tuple[str, str]]:
    """Yield the columns in which empty texts become NULL with the new partitioning, or no longer do."""
    before, after = NameSet(states.old.partitioning), NameSet(states.new.partitioning)
    for column in states.new.columns:
        name = column.name
        is_of_text = name in given and plain(column.data_type) in {"string", "binary"}
        if not is_of_text or (name in before) == (name in after):
            continue
        if column.is_nullable or plain(column.data_type) == "binary":
            yield name, EMPTIED
        elif name in after:
            mentioned = any(name in NameSet(columns_in(check.expression)) for check in states.old.checks)
            condition = f"{identifier(name)} <> ''"
            answer = implied_check(condition, released_promises(states)) if mentioned else "violated"
            if answer != "implied":
                yield name, EMPTY if answer == "violated" else EMPTIED


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


def frames_of(table: TableState, new: TableState | None = None) -> list[tuple[ColumnState, ...]]:
    """Return the frames that writers of a table have: of all columns, and without those that the table fills."""
    identities = {column.name: column.value.identity for column in table.columns if column.value is not None}
    given = [column for column in table.columns if not ((kept := identities.get(column.name)) and kept.is_always)]
    frames = [given]
    if any(column.value is not None for column in given):
        frames.append([column for column in given if column.value is None])
    filled = NameSet.of(column for column in (() if new is None else new.columns) if column.value is not None)
    left_out = [column for column in frames[-1] if column.name in filled]
    if left_out:
        frames.append([column for column in frames[-1] if column.name not in filled])
    return [frame_columns(tuple(column._replace(value=None) for column in frame)) for frame in frames]


_CAUSES: Mapping[str, tuple[ChangeRow, ...]] = {
    **dict.fromkeys((REPLACES, EMPTY, EMPTIED, "partitioning"), (PartitioningChanged,)),
    **dict.fromkeys((FILLED, GENERATED), (DefaultChanged, GenerationChanged)),
    "too-few-columns": (NullableColumnAdded, RequiredColumnAdded, FieldAdded),
    "extra-column": (ColumnRemoved, ColumnRenamed),
    SWAPPED: (FieldOrderChanged,),
}
"""The kinds of changes that have a fault, where others of the same column may not have it."""


def _position(write: ChangedWrite, changes: Sequence[ContractChange], role: Role) -> int:
    """Return the position of the change that a fault is about."""
    path = folded(write.path)
    causes = _CAUSES.get(write.fault, ())

    def rank(at: int) -> tuple[bool, ...]:
        change = changes[at]
        is_of_switch = write.fault == "append-only" and folded(change.path).endswith(folded(APPEND_ONLY))
        is_inside = any(_is_inside(path, name) for name in change.names)
        return (
            not is_of_switch,
            change.row not in causes,
            path not in change.names,
            not is_inside,
            change.row.cells[role] != "computed",
            change.aspect not in {"columns", "types"},
        )

    return min(range(len(changes)), key=rank)


def _is_inside(path: str, name: str) -> bool:
    return path.startswith(f"{name}.") or bool(path and name.startswith(f"{path}."))

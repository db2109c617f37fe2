"""How a write is described, how it treats the columns of a frame, and the verdict on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.arguments import argument_text, refuse_kind, refuses_wrong_arguments
from pytest_delta_schema.state.desired import spark_struct

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.types import ColumnState


if TYPE_CHECKING:
    Action: TypeAlias = Literal["all", "delete"] | Mapping[str, str | DataType]
    Clause: TypeAlias = Action | "When"


WriteMethod = Literal[
    "save", "save_as_table", "insert_into", "write_to", "write_stream", "sql_insert", "update", "delete"
]
"""``df.write.save(path)``, ``df.write.saveAsTable``, ``df.write.insertInto``, ``df.writeTo``, ``df.writeStream``, and
the statements ``INSERT``, ``UPDATE`` and ``DELETE``."""

WriteMode = Literal["append", "overwrite"]
METHODS: tuple[WriteMethod, ...] = get_args(WriteMethod)
MODES: tuple[WriteMode, ...] = get_args(WriteMode)

FRAME_METHODS: tuple[WriteMethod, ...] = ("save", "save_as_table", "insert_into", "write_to", "write_stream")
"""The methods of a DataFrame."""

_OVERWRITE: tuple[WriteMethod, ...] = ("save", "save_as_table", "insert_into", "write_to", "sql_insert")

_TAKEN_BY: dict[str, tuple[WriteMethod, ...]] = {
    "merge_schema": FRAME_METHODS,
    "overwrite_schema": FRAME_METHODS,
    "by": ("sql_insert",),
    "evolves": ("sql_insert",),
    "replace_where": _OVERWRITE,
    "dynamic_partitions": _OVERWRITE,
    "partition_by": ("save", "save_as_table"),
}
"""The methods that take an option; other options go with all of them."""


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Describe how rows of a table are written.

    Args:
        method: The method that writes a frame: ``save`` (to a path), ``save_as_table``, ``insert_into``,
            ``write_to`` or ``write_stream``; or the statement: ``sql_insert``, ``update`` or ``delete``. The frame of
            an INSERT is what its query returns. The columns of the frame of an UPDATE are those that it sets, with the
            types of their expressions. A DELETE has no frame. A MERGE is a :class:`Merge`.
        mode: ``append`` or ``overwrite``; a stream, an UPDATE and a DELETE append.
        merge_schema: The writer's option ``mergeSchema``.
        overwrite_schema: The writer's option ``overwriteSchema``; without ``overwrite`` it has no effect on schemas.
        auto_merge: The session's setting ``spark.databricks.delta.schema.autoMerge.enabled``.
        by: How an INSERT matches columns: by ``position``, by ``name`` (``BY NAME``), or the list of columns that
            follows the name of the table.
        evolves: Whether an INSERT has ``WITH SCHEMA EVOLUTION``. Spark 4.2 is the first that knows it, so Delta 4.4
            is judged as with Spark 4.2.
        replace_where: The condition on the rows that an overwrite replaces: the option ``replaceWhere``,
            ``REPLACE WHERE`` of an INSERT, or the condition of ``writeTo(...).overwrite``.
        dynamic_partitions: Whether an overwrite replaces only the partitions that the frame has rows for: the option
            ``partitionOverwriteMode`` (of an INSERT, the setting), or ``writeTo(...).overwritePartitions``.
        partition_by: The columns of ``partitionBy``; empty if it is not called.

    Raises:
        DeclarationError: If there is no such method or mode, or the method does not take an option.
    """

    method: WriteMethod = "save"
    mode: WriteMode = "append"
    merge_schema: bool = False
    overwrite_schema: bool = False
    auto_merge: bool = False
    by: Literal["position", "name"] | Sequence[str] = "position"
    evolves: bool = False
    replace_where: str | None = None
    dynamic_partitions: bool = False
    partition_by: Sequence[str] = ()

    def __post_init__(self) -> None:
        method, mode = self.method, self.mode
        if method not in METHODS:
            msg = f"method is {method!r}; write one of {', '.join(METHODS)}"
            raise DeclarationError(msg)
        overwrites = method in _OVERWRITE
        if mode not in MODES or (mode == "overwrite" and not overwrites):
            msg = f"mode is {mode!r} for {method}; write {' or '.join(MODES) if overwrites else 'append'}"
            raise DeclarationError(msg)
        self._require_columns()
        defaults = {option.name: option.default for option in fields(self)}
        given = [name for name in _TAKEN_BY if getattr(self, name) != defaults[name]]
        foreign = ", ".join(name for name in given if method not in _TAKEN_BY[name])
        if foreign:
            msg = f"{method} does not take {foreign}; leave out what it does not take"
            raise DeclarationError(msg)
        partial = ", ".join(name for name in given if name in {"replace_where", "dynamic_partitions"})
        if partial and mode == "append":
            msg = (
                f'{partial} chooses the rows that an overwrite replaces, and this write appends; write mode="overwrite"'
            )
            raise DeclarationError(msg)
        if method == "write_to" and self.replace_where is not None and self.dynamic_partitions:
            msg = "write_to overwrites by replace_where or by dynamic_partitions, and was given both; give one of them"
            raise DeclarationError(msg)

    def _require_columns(self) -> None:
        """Make the sequences of names immutable."""
        if self.by not in ("position", "name"):
            object.__setattr__(self, "by", _names(self.by, "by", 'write by="position", by="name" or by=["id", ...]'))
        object.__setattr__(self, "partition_by", _names(self.partition_by, "partition_by", 'write ["day"]'))
        where = self.replace_where
        if where is not None and not str(where).strip():
            refuse_kind("replace_where", "a condition in SQL", where, "write such as \"day = '2026-01-01'\"")


def _names(given: object, option: str, remedy: str) -> tuple[str, ...]:
    if isinstance(given, str) or not (isinstance(given, Sequence) and all(isinstance(name, str) for name in given)):
        refuse_kind(option, "names of columns", given, remedy)
    return tuple(given)


DEFAULT_OPTIONS = WriteOptions()
"""An append by ``df.write.save(path)``."""

ClauseKind = Literal["matched", "not_matched", "not_matched_by_source"]
CLAUSE_KINDS: tuple[ClauseKind, ...] = get_args(ClauseKind)

_ACTIONS: dict[ClauseKind, tuple[str, ...]] = {
    "matched": ("all", "delete"),
    "not_matched": ("all",),
    "not_matched_by_source": ("delete",),
}
"""What a clause of a kind does, other than assign values."""


@dataclass(frozen=True, slots=True)
class When:
    """A clause of a MERGE that has a condition.

    Args:
        condition: In SQL, with the names ``target`` and ``source`` for the two sides.
        then: What the clause does, as without a condition.
    """

    condition: str
    then: Action


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Describe a MERGE, whose source is the frame.

    A clause is ``"all"`` (``UPDATE SET *``, ``INSERT *``), ``"delete"``, or a mapping of columns of the target to what
    is assigned to them: the name of a column of the source, or the type of an expression. Names of fields have dots.
    Several clauses of a kind are a list; all but the last have a condition, as a :class:`When`.

    Args:
        matched: What ``WHEN MATCHED`` does; ``None`` if there is no such clause.
        not_matched: What ``WHEN NOT MATCHED`` does: ``"all"`` or the columns of an INSERT.
        not_matched_by_source: What ``WHEN NOT MATCHED BY SOURCE`` does: ``"delete"``, or assignments of types.
        evolves: Whether the schema may evolve: ``WITH SCHEMA EVOLUTION``, ``withSchemaEvolution()``, or the session's
            setting ``spark.databricks.delta.schema.autoMerge.enabled``. SQL has the clause from Spark 4.1 on; before
            that, the setting is meant.

    Raises:
        DeclarationError: If there is no clause, or clauses have no possible meaning.
    """

    matched: Clause | Sequence[Clause] | None = None
    not_matched: Clause | Sequence[Clause] | None = None
    not_matched_by_source: Clause | Sequence[Clause] | None = None
    evolves: bool = False

    def __post_init__(self) -> None:
        if all(getattr(self, kind) is None for kind in CLAUSE_KINDS):
            msg = 'Merge has no clause; write such as Merge(matched="all", not_matched="all")'
            raise DeclarationError(msg)
        clauses = [(kind, clause) for kind in CLAUSE_KINDS for clause in clauses_of(self, kind)]
        unknown = [f"{kind}={argument_text(clause)}" for kind, clause in clauses if not _is_clause(kind, clause)]
        if unknown:
            actions = "; ".join(f"{kind}: {', '.join(_ACTIONS[kind])} or a mapping of columns" for kind in CLAUSE_KINDS)
            msg = f"Merge does not know {', '.join(unknown)}; write one of {actions}"
            raise DeclarationError(msg)
        hidden = [kind for kind in CLAUSE_KINDS if None in map(clause_condition, clauses_of(self, kind)[:-1])]
        if hidden:
            fact = f"clauses without condition hide those after them, in {', '.join(hidden)}"
            msg = f'{fact}; write When("...", then="delete")'
            raise DeclarationError(msg)


def clauses_of(merge: Merge, kind: ClauseKind) -> tuple[Clause, ...]:
    """Return the clauses of a kind."""
    given = getattr(merge, kind)
    if given is None:
        return ()
    return tuple(given) if isinstance(given, (list, tuple)) else (given,)


def clause_condition(clause: Clause) -> str | None:
    """Return the condition of a clause."""
    return clause.condition if isinstance(clause, When) else None


def clause_action(clause: Clause) -> Action:
    """Return what a clause does."""
    return clause.then if isinstance(clause, When) else clause


def _is_clause(kind: ClauseKind, clause: object) -> bool:
    if isinstance(clause, When):
        return bool(str(clause.condition).strip()) and _is_action(kind, clause.then)
    return _is_action(kind, clause)


def _is_action(kind: ClauseKind, action: object) -> bool:
    from pyspark.sql.types import DataType  # noqa: PLC0415 - options are made without pyspark

    if not isinstance(action, Mapping):
        return action in _ACTIONS[kind]
    values = DataType if kind == "not_matched_by_source" else (DataType, str)
    return bool(action) and all(isinstance(name, str) and isinstance(action[name], values) for name in action)


def require_options(options: object) -> None:
    """Raise unless an argument is a :class:`WriteOptions` or a :class:`Merge`."""
    if not isinstance(options, (WriteOptions, Merge)):
        wanted = "its options as WriteOptions, or a Merge"
        refuse_kind("a write", wanted, options, 'write WriteOptions(mode="append")')


def takes_frame(options: WriteOptions | Merge, frame: object) -> bool:
    """Whether a write takes a frame."""
    if isinstance(options, Merge) or options.method != "delete":
        return True
    if frame is not None:
        msg = f"a delete takes no frame, and was given {argument_text(frame)}; give None"
        raise DeclarationError(msg)
    return False


def require_version(version: object) -> None:
    """Raise a ``DeclarationError`` if a version of Delta is not one."""
    if not (isinstance(version, tuple) and version and all(isinstance(part, int) for part in version)):
        msg = f"version is {version!r}; write the major and minor version of Delta, such as (4, 0)"
        raise DeclarationError(msg)


_CASTS_BY_NAME = (4, 3)
"""Since this version, Delta casts frames that are written to a table by its name."""

_CASTS_STREAMS = (3, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteSemantics:
    """The treatment of the columns of a frame by a write."""

    method: WriteMethod
    replaces_schema: bool
    """Whether the frame's schema and partitioning replace those of the table."""
    merges_schema: bool
    """Whether the table's schema may evolve."""
    by_position: bool
    """Whether columns are matched by position and not by name."""
    inserts_by_name: bool
    """Whether it is an INSERT BY NAME, which casts nothing where the names and types fit."""
    casts: bool
    fills_missing: bool
    """Whether Spark gives Delta NULL for columns that the frame lacks; if not, Delta raises for those that it needs."""
    version: tuple[int, int]


def write_semantics(options: WriteOptions, version: tuple[int, int]) -> WriteSemantics:
    """Return how a write treats a frame."""
    method, overwrites = options.method, options.mode == "overwrite"
    is_insert = method == "sql_insert"
    by_position = method == "insert_into" or (is_insert and options.by == "position")
    by_name = method == "write_to" or (method == "save_as_table" and not overwrites)
    casts = by_position or is_insert or (by_name and version >= _CASTS_BY_NAME and not options.overwrite_schema)
    return WriteSemantics(
        method=method,
        replaces_schema=options.overwrite_schema and overwrites and options.replace_where is None,
        merges_schema=options.merge_schema or options.auto_merge or options.evolves,
        by_position=by_position,
        inserts_by_name=is_insert and options.by == "name",
        casts=casts or (method == "write_stream" and version >= _CASTS_STREAMS),
        fills_missing=by_name or (is_insert and not by_position),
        version=version,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteVerdict:
    """The prediction of what Delta does with a write.

    Args:
        table: Dotted name of the table.
        accepted: Whether the schemas allow the write; values may still violate casts, NOT NULL and checks.
        columns: The columns of the table after the write; after a refused write, its present columns.
        findings: The reasons of a refusal, in the order in which Delta checks them; Delta raises the first. In each,
            ``rule`` is the name of the fault, such as ``extra-column``, and ``code`` is the error condition of Delta or
            Spark, such as ``DELTA_METADATA_MISMATCH``.
        notes: Effects of an accepted write: columns that are added, filled or cast, a layout that is removed.
        replaces: Which rows an accepted overwrite replaces, in words, such as ``all rows``; ``""`` if it replaces none.
    """

    table: str
    accepted: bool
    columns: tuple[ColumnState, ...]
    findings: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    replaces: str = ""

    @property
    def resulting_schema(self) -> StructType:
        """The schema of the table after the write, as a Spark ``StructType``."""
        return spark_struct(self.columns)

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the faults, without repetition."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def __str__(self) -> str:
        head = f"{self.table}: the write is {'accepted' if self.accepted else 'refused'}"
        return "\n".join(
            [
                head,
                *(f"  ! {reason_of(finding)}" for finding in self.findings),
                *([f"  replaces {self.replaces}"] if self.replaces else []),
                *(f"  note: {note.message}" for note in self.notes),
            ]
        )


def reason_of(finding: Diagnostic) -> str:
    """Return the text of a finding without the name of the table."""
    return f"{finding.message}; {finding.remedy} [{finding.code} {finding.rule}]"

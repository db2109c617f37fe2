"""How rows of a table are written: the method, the mode and the options of the writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, get_args

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.arguments import refuses_wrong_arguments
from pytest_delta_schema.models.argument_checks.wrong_kinds import argument_text, refuse_kind
from pytest_delta_schema.write_check.statements.merge_options import Merge

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


def require_options(options: object) -> None:
    """Raise unless an argument is a :class:`WriteOptions` or a :class:`Merge`.

    Raises:
        DeclarationError: If it is something else.
    """
    if not isinstance(options, (WriteOptions, Merge)):
        wanted = "its options as WriteOptions, or a Merge"
        refuse_kind("a write", wanted, options, 'write WriteOptions(mode="append")')


def takes_frame(options: WriteOptions | Merge, frame: object) -> bool:
    """Whether a write takes a frame.

    Raises:
        DeclarationError: If a DELETE is given one.
    """
    if isinstance(options, Merge) or options.method != "delete":
        return True
    if frame is not None:
        msg = f"a delete takes no frame, and was given {argument_text(frame)}; give None"
        raise DeclarationError(msg)
    return False

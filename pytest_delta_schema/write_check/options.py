"""How a frame is written to a table: the method, the mode and the options of the writer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind

WriteMethod = Literal["save", "save_as_table", "insert_into", "write_to", "write_stream"]
"""``df.write.save(path)``, ``df.write.saveAsTable``, ``df.write.insertInto``, ``df.writeTo``, ``df.writeStream``."""

WriteMode = Literal["append", "overwrite"]

METHODS: tuple[WriteMethod, ...] = get_args(WriteMethod)
MODES: tuple[WriteMode, ...] = get_args(WriteMode)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Describe how a frame is written.

    Args:
        method: The method that writes: ``save`` (to a path), ``save_as_table``, ``insert_into``, ``write_to`` or
            ``write_stream``.
        mode: ``append`` or ``overwrite``; a stream appends.
        merge_schema: The writer's option ``mergeSchema``.
        overwrite_schema: The writer's option ``overwriteSchema``; without ``overwrite`` it has no effect on schemas.
        auto_merge: The session's setting ``spark.databricks.delta.schema.autoMerge.enabled``.

    Raises:
        DeclarationError: If there is no such method or mode, or a stream would overwrite.
    """

    method: WriteMethod = "save"
    mode: WriteMode = "append"
    merge_schema: bool = False
    overwrite_schema: bool = False
    auto_merge: bool = False

    def __post_init__(self) -> None:
        method, mode = self.method, self.mode
        if method not in METHODS:
            msg = f"method is {method!r}; write one of {', '.join(METHODS)}"
            raise DeclarationError(msg)
        if mode not in MODES or (method == "write_stream" and mode != "append"):
            msg = f"mode is {mode!r} for {method}; write {'append' if method == 'write_stream' else ' or '.join(MODES)}"
            raise DeclarationError(msg)


DEFAULT_OPTIONS = WriteOptions()
"""An append by ``df.write.save(path)``."""


def require_options(options: object) -> None:
    """Raise unless an argument is a :class:`WriteOptions`.

    Raises:
        DeclarationError: If it is something else.
    """
    if not isinstance(options, WriteOptions):
        refuse_kind("a write", "its options as WriteOptions", options, 'write WriteOptions(mode="append")')

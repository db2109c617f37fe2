"""The rows that an overwrite replaces, and what its options require.

Measured on Delta 4.4.0 with Spark 4.2.0, with rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameSet, same_names
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.write_check import overwrite_findings
from pytest_delta_schema.write_check.schema_findings import mismatch_condition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.collector import WriteFault
    from pytest_delta_schema.write_check.options import WriteOptions


IN_ANALYSIS = ("IllegalArgumentException", "_LEGACY_ERROR_TEMP_3060")
"""What ``saveAsTable`` raises for ``partitionBy``, before Delta looks at the table."""


def replaced_rows(state: TableState, options: WriteOptions) -> str:
    """Return which rows of a table a write replaces, in words; ``""`` for a write that only adds rows."""
    if options.mode == "append":
        return ""
    if options.replace_where is not None:
        return f"the rows where {options.replace_where}"
    if options.dynamic_partitions and state.partitioning and not options.overwrite_schema:
        return f"the partitions by {', '.join(state.partitioning)} that the frame has rows for"
    return "all rows"


def replace_where_faults(state: TableState, options: WriteOptions) -> Iterator[WriteFault]:
    """Yield the findings about the condition of an overwrite."""
    if options.replace_where is None:
        return
    if options.dynamic_partitions and state.partitioning and options.method != "sql_insert":
        yield overwrite_findings.condition_and_partitions()
    known = NameSet.of(state.columns)
    unknown = [name for name in columns_in(options.replace_where) if name not in known]
    if unknown:
        yield overwrite_findings.unresolved_condition(options.replace_where, unknown)


def partition_faults(
    frame: tuple[ColumnState, ...], state: TableState, options: WriteOptions, version: tuple[int, int]
) -> Iterator[WriteFault]:
    """Yield the findings about ``partitionBy``."""
    if not options.partition_by:
        return
    wanted, stored = options.partition_by, state.partitioning
    by_table_name = options.method == "save_as_table"
    given = NameSet.of(frame)
    unknown = [name for name in wanted if name not in given]
    if by_table_name and options.mode == "append":
        if tuple(wanted) != tuple(stored):
            yield overwrite_findings.other_partitioning(wanted, stored, IN_ANALYSIS[0])
    elif unknown:
        condition = IN_ANALYSIS[1] if by_table_name else "DELTA_PARTITION_COLUMN_NOT_FOUND"
        yield overwrite_findings.unknown_partition_columns(unknown, condition)
    elif not same_names(wanted, stored) and not (options.overwrite_schema and options.mode == "overwrite"):
        yield overwrite_findings.other_partitioning(wanted, stored, mismatch_condition(version))

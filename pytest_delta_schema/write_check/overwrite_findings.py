"""Findings about the options of an overwrite and about ``partitionBy``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.write_check.collector import WriteFault

if TYPE_CHECKING:
    from collections.abc import Sequence


def condition_and_partitions() -> WriteFault:
    """Report an overwrite with `replaceWhere` and dynamic partitions."""
    return WriteFault(
        path="",
        rule="replace-where",
        condition="DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE",
        message="the overwrite has replaceWhere and partitionOverwriteMode = dynamic",
        remedy="use one of them",
    )


def unresolved_condition(condition: str, names: Sequence[str]) -> WriteFault:
    """Report columns that the condition of an overwrite names, and that the table lacks."""
    return WriteFault(
        path=names[0],
        rule="unresolved-column",
        condition="UNRESOLVED_COLUMN",
        message=f"the overwrite replaces the rows where {condition}, and the table lacks {', '.join(names)}",
        remedy="name columns of the table",
    )


def unknown_partition_columns(names: Sequence[str], condition: str) -> WriteFault:
    """Report columns of `partitionBy` that the frame lacks."""
    return WriteFault(
        path=names[0],
        rule="partitioning",
        condition=condition,
        message=f"the writer partitions by {', '.join(names)}, which the frame lacks",
        remedy="partition by columns of the frame",
    )


def other_partitioning(wanted: Sequence[str], stored: Sequence[str], condition: str) -> WriteFault:
    """Report a `partitionBy` that differs from the partitioning of the table."""
    there = f"partitioned by {', '.join(stored)}" if stored else "not partitioned"
    return WriteFault(
        path=wanted[0],
        rule="partitioning",
        condition=condition,
        message=f"the writer partitions by {', '.join(wanted)}, and the table is {there}",
        remedy="leave partitionBy out, or overwrite with overwriteSchema",
    )

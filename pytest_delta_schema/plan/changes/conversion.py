"""The conversion of parquet files to a Delta table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import CHANGE
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.state.conversion import DELTA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.conversion import SourceState
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState

__all__ = ["ConvertTable"]


FORMAT = part_path("format")
"""The path of the change."""


def _convert_lines(change: ConvertTable, _observed: TableState) -> Iterator[ChangeLine]:
    source = change.source
    before = source.provider if source.is_registered else f"{source.provider} in {source.path}"
    lost = "clients that read parquet have to read the table" if source.provider != DELTA else ""
    yield ChangeLine(CHANGE, FORMAT, before, "delta", loss=lost)


class NotConverted:
    """The model converts files that are not a Delta table yet.

    An apply converts them in place (``CONVERT TO DELTA``); clients that read the files have to read the table then.

    Remedy: Apply the model, or remove ``convert_from`` from it.

    Example:
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], convert_from=Parquet("/lake/orders")
        )
    """

    code = "DD126"


@declare(
    ChangeKind(aspect="conversion", drift=NotConverted, step=Step.CONVERT, risk=Risk.FEATURE, describe=_convert_lines)
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertTable:
    """Convert files to a Delta table in place; everything else that the model declares follows as other changes.

    Args:
        source: The files.
        partitions: The columns by which their folders are partitioned, in order, with their types.
        statistics: Whether statistics of all files are collected.
        creates_schema: Whether the schema has to be created first.
    """

    source: SourceState
    partitions: tuple[tuple[str, DataTypeState], ...] = ()
    statistics: bool = True
    creates_schema: bool = False


ConversionChange = ConvertTable

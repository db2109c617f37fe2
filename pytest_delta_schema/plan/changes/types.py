"""Changes of data types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import loss
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import CHANGE
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.state.required_features import features_of_types
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import DataTypeState

__all__ = ["ColumnTypeChange"]


def _type_lines(change: ColumnTypeChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = describe_type(change.before), describe_type(change.after)
    yield ChangeLine(CHANGE, part_path("columns", change.path), before, after, loss=loss(change.enables))


def _type_features(change: ColumnTypeChange) -> frozenset[str]:
    return features_of_types([change.after])


class TypeDiffers:
    """A column, a field or an element has another type in the table than in the model.

    Delta changes a type in place only to a wider one; all other changes are refused.

    Remedy: Apply the model, or declare the type that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "int")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DD104"


@declare(
    ChangeKind(
        aspect="types",
        drift=TypeDiffers,
        step=Step.CHANGE_TYPES,
        risk=Risk.METADATA,
        describe=_type_lines,
        needs_feature=True,
        features=_type_features,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTypeChange:
    """Change the type of a stored column, or of a part of one.

    Args:
        path: Its path.
        before: The stored type.
        after: The desired type.
        enables: What it enables in the protocol of the table.
    """

    path: ColumnPath
    before: DataTypeState
    after: DataTypeState
    enables: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)


TypesChange = ColumnTypeChange

"""Changes of column generation: defaults, generation expressions and identities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, CHANGE, DROP
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnGeneration

__all__ = ["ColumnDefaultChange", "ColumnGenerationChange"]


def _default_lines(change: ColumnDefaultChange, _observed: TableState) -> Iterator[ChangeLine]:
    path, before, after = part_path("columns", change.path, "default"), change.before, change.after
    marker = ADD if before is None else DROP if after is None else CHANGE
    yield ChangeLine(marker, path, ABSENT if before is None else before, ABSENT if after is None else after)


class DefaultDiffers:
    """A column has another default in the table than in the model, or one of the two has none.

    Existing rows keep their values; only later writes use the default.

    Remedy: Apply the model, or declare the default that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("state", "string")])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("state", "string", default="'new'")],
        )
    """

    code = "DD108"


@declare(
    ChangeKind(
        aspect="defaults",
        drift=DefaultDiffers,
        step=Step.CHANGE_DEFAULTS,
        risk=Risk.METADATA,
        describe=_default_lines,
        needs_feature=True,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDefaultChange:
    """Change the default of a stored column or field.

    Existing rows keep their values. ``None`` means that there is no default.

    Args:
        path: Its path.
        before: The stored default.
        after: The desired default.
    """

    path: ColumnPath
    before: str | None
    after: str | None

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)


def _generation_lines(change: ColumnGenerationChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = describe_generation(change.before), describe_generation(change.after)
    yield ChangeLine(
        CHANGE, part_path("columns", change.name), before or "written by writers", after or "written by writers"
    )


class GenerationDiffers:
    """A column is generated or an identity in another way in the table than in the model.

    No statement of Delta changes this, so no apply does (Delta 4.4.0).

    Remedy: Declare what the table has, or build a new table and copy the rows.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("twice", "bigint")])
        twice = Column("twice", "bigint", generated_as="id * 2")
        model = Table("dev", "silver", "orders", [Column("id", "bigint"), twice])
    """

    code = "DD109"


@declare(
    ChangeKind(
        aspect="defaults",
        drift=GenerationDiffers,
        step=Step.CHANGE_GENERATION,
        risk=Risk.REWRITE,
        describe=_generation_lines,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnGenerationChange:
    """Change the generation expression or the identity of a stored column, which no statement of Delta does.

    Args:
        name: Name of the stored column.
        before: As stored.
        after: As desired.
    """

    name: str
    before: ColumnGeneration
    after: ColumnGeneration

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)


DefaultsChange = Union[ColumnDefaultChange, ColumnGenerationChange]  # noqa: UP007 - a union at run time


def describe_generation(generation: ColumnGeneration | None) -> str:
    """Write the default, the generation expression and the identity of a column; ``""`` if it has none."""
    if generation is None:
        return ""
    default, expression, identity = generation
    parts = [] if expression is None else [f"generated always as ({expression})"]
    if identity is not None:
        mode = "always" if identity.is_always else "by default"
        parts.append(f"generated {mode} as identity ({identity.start} by {identity.step})")
    if default is not None:
        parts.append(f"default {default}")
    return " ".join(parts)

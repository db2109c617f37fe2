"""Changes of columns and fields: their names, order, types, nullability, defaults and generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import TABLE, ColumnPath, part_path
from pytest_delta_schema.delta.protocol import loss
from pytest_delta_schema.plan.kinds import (
    DROP,
    NOT_IN_MODEL,
    Change,
    ChangeLine,
    EnablingChange,
    Risk,
    Step,
    require_change,
)
from pytest_delta_schema.state.features import features_of_types
from pytest_delta_schema.state.types import ColumnState, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnGeneration, DataTypeState


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAdd(EnablingChange):
    """A declared column or field is not in the table.

    Existing rows hold NULL in it after the apply.

    Remedy: Apply the model, or remove the column from the model.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])

    Args:
        column: Its desired state.
        above: Path of the struct that gets a field; empty for a column.
        after: The column or field that it follows; ``""`` adds it before all others, ``None`` after them.
        enables: What it enables in the protocol of the table.
    """

    code = "DD102"
    drift = "ColumnMissing"
    aspect = "columns"
    step = Step.ADD_COLUMNS
    own_risk = Risk.METADATA
    needs_feature = True

    column: ColumnState
    above: ColumnPath = TABLE
    after: str | None = None

    @property
    def path(self) -> ColumnPath:
        """The path of the new column or field."""
        return self.above.child(self.column.name)

    @property
    def bare(self) -> ColumnState:
        """The column without its default, which Delta refuses in ADD COLUMNS, and without its comment."""
        name, data_type, is_nullable, _, value = self.column
        if value is not None:
            value = value._replace(default=None)
        return ColumnState(name, data_type, is_nullable, "", value if value and any(value) else None)

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        # Its default has a separate line, because a separate statement sets it.
        after = describe_column(self.bare)
        yield ChangeLine.of(part_path("columns", self.path), None, after, loss=loss(self.enables))

    def _features(self) -> Iterable[str]:
        return features_of_types([self.column.data_type])


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDrop(Change):
    """The table has a column or a field that the model does not declare.

    A writer has often added it, with schema evolution. An apply drops it, and its data, only with consent by name.

    Remedy: Declare the column, accept such columns with ``evolution="additive"``, or consent to the drop
    (``--delta-allow``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])

    Args:
        column: Its stored state.
        above: Path of the struct that holds it; empty for a column.
    """

    code = "DD103"
    drift = "UndeclaredColumn"
    aspect = "columns"
    step = Step.DROP_COLUMNS
    own_risk = Risk.DESTRUCTIVE
    consent = "drop-column"
    needs_feature = True

    column: ColumnState
    above: ColumnPath = TABLE

    @property
    def path(self) -> ColumnPath:
        """The path of the stored column or field."""
        return self.above.child(self.column.name)

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine(DROP, part_path("columns", self.path), describe_column(self.column), NOT_IN_MODEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRename(Change):
    """A column or a field has the name that the model gives as its former one.

    The data stays, and readers have to use the new name after the apply.

    Remedy: Apply the model, or remove ``renamed_from`` and keep the old name.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("nr", "int")])
        columns = [Column("id", "bigint"), Column("number", "int", renamed_from="nr")]
        model = Table("dev", "silver", "orders", columns)

    Args:
        path: Its path, under its old name.
        to: The new name.
    """

    code = "DD106"
    drift = "ColumnNotRenamed"
    aspect = "columns"
    step = Step.RENAME_COLUMNS
    own_risk = Risk.METADATA
    needs_feature = True

    path: ColumnPath
    to: str

    def __post_init__(self) -> None:
        require_change(self, self.path.name != self.to)

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine.of(part_path("columns", self.path), self.path.name, f"{self.to} (renamed)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMove(Change):
    """A column has a different position in the table and in the model.

    The order is compared only for models with ``column_order="manage"`` or ``column_order="report"``.

    Remedy: Apply the model, or declare the columns in the order of the table.

    Example:
        note, number = Column("note", "string"), Column("number", "bigint")
        stored = Table("dev", "silver", "orders", [note, number])
        model = Table("dev", "silver", "orders", [number, note], column_order="manage")

    Args:
        name: Name of the stored column.
        after: The column that it follows afterwards.
    """

    code = "DD107"
    drift = "ColumnOrderDiffers"
    aspect = "columns"
    step = Step.MOVE_COLUMNS
    own_risk = Risk.METADATA

    name: str
    after: str | None

    def __post_init__(self) -> None:
        require_change(self, self.name != self.after)

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        names = [column.name for column in observed.columns]
        index = names.index(self.name) if self.name in names else None
        before = "last" if index is None else f"behind {names[index - 1]}" if index else "first"
        after = f"behind {self.after}" if self.after else "first"
        yield ChangeLine.of(part_path("columns", self.name, "order"), before, after)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTypeChange(EnablingChange):
    """A column, a field or an element has another type in the table than in the model.

    Delta changes a type in place only to a wider one, and that of a void column; all other changes are refused.

    Remedy: Apply the model, or declare the type that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "int")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])

    Args:
        path: Its path.
        before: The stored type.
        after: The desired type.
        enables: What it enables in the protocol of the table.
    """

    code = "DD104"
    drift = "TypeDiffers"
    aspect = "types"
    step = Step.CHANGE_TYPES
    own_risk = Risk.METADATA
    needs_feature = True

    path: ColumnPath
    before: DataTypeState
    after: DataTypeState

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        before, after = describe_type(self.before), describe_type(self.after)
        yield ChangeLine.of(part_path("columns", self.path), before, after, loss=loss(self.enables))

    def _features(self) -> Iterable[str]:
        return features_of_types([self.after])


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNullabilityChange(EnablingChange):
    """A column or a field may be NULL in the model and not in the table, or the other way round.

    Forbidding NULL reads all rows; rows that hold NULL forbid it.

    Remedy: Apply the model, or declare the nullability that the table has (``is_nullable``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])

    Args:
        path: Its path.
        is_nullable: Whether NULL is allowed afterwards.
        enables: What it enables in the protocol of the table.
    """

    code = "DD105"
    drift = "NullabilityDiffers"
    aspect = "columns"
    step = Step.CHANGE_NULLABILITY
    own_risk = Risk.SCAN

    path: ColumnPath
    is_nullable: bool

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        before, after = ("not null", "nullable") if self.is_nullable else ("nullable", "not null")
        yield ChangeLine.of(part_path("columns", self.path), before, after, loss=loss(self.enables))

    def _features(self) -> Iterable[str]:
        return () if self.is_nullable else ("invariants",)

    @property
    def risk(self) -> Risk:
        """What the change may cost."""
        return Risk.METADATA if self.is_nullable else Risk.SCAN


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDefaultChange(Change):
    """A column has another default in the table than in the model, or one of the two has none.

    Existing rows keep their values; only later writes use the default.

    Remedy: Apply the model, or declare the default that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("state", "string")])
        columns = [Column("id", "bigint"), Column("state", "string", default="'new'")]
        model = Table("dev", "silver", "orders", columns)

    Args:
        path: Its path.
        before: The stored default.
        after: The desired default.
    """

    code = "DD108"
    drift = "DefaultDiffers"
    aspect = "defaults"
    step = Step.CHANGE_DEFAULTS
    own_risk = Risk.METADATA
    needs_feature = True

    path: ColumnPath
    before: str | None
    after: str | None

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine.of(part_path("columns", self.path, "default"), self.before, self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnGenerationChange(Change):
    """A column is generated or an identity in another way in the table than in the model.

    No statement of Delta changes this, so no apply does (Delta 4.4.0).

    Remedy: Declare what the table has, or build a new table and copy the rows.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("twice", "bigint")])
        twice = Column("twice", "bigint", generated_as="id * 2")
        model = Table("dev", "silver", "orders", [Column("id", "bigint"), twice])

    Args:
        name: Name of the stored column.
        before: As stored.
        after: As desired.
    """

    code = "DD109"
    drift = "GenerationDiffers"
    aspect = "defaults"
    step = Step.CHANGE_GENERATION
    own_risk = Risk.REWRITE

    name: str
    before: ColumnGeneration
    after: ColumnGeneration

    def __post_init__(self) -> None:
        require_change(self, self.before != self.after)

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        before, after = describe_generation(self.before), describe_generation(self.after)
        yield ChangeLine.of(
            part_path("columns", self.name), before or "written by writers", after or "written by writers"
        )


def describe_column(column: ColumnState) -> str:
    """Write the type, the nullability and the generation of a column."""
    generation = describe_generation(column.value)
    not_null = "" if column.is_nullable else " not null"
    return describe_type(column.data_type) + not_null + (generation and f" {generation}")


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

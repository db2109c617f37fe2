"""Changes of columns and fields: their names, order, types, nullability, defaults and generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names import TABLE, ColumnPath, part_path
from pytest_delta_schema.delta.protocol import loss
from pytest_delta_schema.plan.kinds import (
    ABSENT,
    ADD,
    CHANGE,
    DROP,
    NOT_IN_MODEL,
    ChangeKind,
    ChangeLine,
    Risk,
    Step,
    declare,
    require_change,
)
from pytest_delta_schema.state.features import features_of_types
from pytest_delta_schema.state.types import ColumnState, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnGeneration, DataTypeState


__all__ = [
    "ColumnAdd",
    "ColumnDefaultChange",
    "ColumnDrop",
    "ColumnGenerationChange",
    "ColumnMove",
    "ColumnNullabilityChange",
    "ColumnRename",
    "ColumnTypeChange",
]


def _add_lines(change: ColumnAdd, _observed: TableState) -> Iterator[ChangeLine]:
    # Its default has a separate line, because a separate statement sets it.
    after = describe_column(change.bare)
    yield ChangeLine(ADD, part_path("columns", change.path), ABSENT, after, loss=loss(change.enables))


def _add_features(change: ColumnAdd) -> frozenset[str]:
    return features_of_types([change.column.data_type])


class ColumnMissing:
    """A declared column or field is not in the table.

    Existing rows hold NULL in it after the apply.

    Remedy: Apply the model, or remove the column from the model.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])
    """

    code = "DD102"


@declare(
    ChangeKind(
        aspect="columns",
        drift=ColumnMissing,
        step=Step.ADD_COLUMNS,
        risk=Risk.METADATA,
        describe=_add_lines,
        needs_feature=True,
        features=_add_features,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAdd:
    """Add a column, or a field of a struct; its comment and its default are set with those of other columns.

    Args:
        column: Its desired state.
        above: Path of the struct that gets a field; empty for a column.
        after: The column or field that it follows; ``""`` adds it before all others, ``None`` after them.
        enables: What its type enables in the protocol of the table.
    """

    column: ColumnState
    above: ColumnPath = TABLE
    after: str | None = None
    enables: tuple[str, ...] = ()

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


def _drop_lines(change: ColumnDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, part_path("columns", change.path), describe_column(change.column), NOT_IN_MODEL)


class UndeclaredColumn:
    """The table has a column or a field that the model does not declare.

    A writer has often added it, with schema evolution. An apply drops it, and its data, only with consent by name.

    Remedy: Declare the column, accept such columns with ``evolution="additive"``, or consent to the drop
    (``--delta-allow``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DD103"


@declare(
    ChangeKind(
        aspect="columns",
        drift=UndeclaredColumn,
        step=Step.DROP_COLUMNS,
        risk=Risk.DESTRUCTIVE,
        describe=_drop_lines,
        consent="drop-column",
        needs_feature=True,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDrop:
    """Drop a column, or a field of a struct, and the data in it.

    Args:
        column: Its stored state.
        above: Path of the struct that holds it; empty for a column.
    """

    column: ColumnState
    above: ColumnPath = TABLE

    @property
    def path(self) -> ColumnPath:
        """The path of the stored column or field."""
        return self.above.child(self.column.name)


def _rename_lines(change: ColumnRename, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(CHANGE, part_path("columns", change.path), change.path.name, f"{change.to} (renamed)")


class ColumnNotRenamed:
    """A column or a field has the name that the model gives as its former one.

    The data stays, and readers have to use the new name after the apply.

    Remedy: Apply the model, or remove ``renamed_from`` and keep the old name.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("nr", "int")])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("number", "int", renamed_from="nr")],
        )
    """

    code = "DD106"


@declare(
    ChangeKind(
        aspect="columns",
        drift=ColumnNotRenamed,
        step=Step.RENAME_COLUMNS,
        risk=Risk.METADATA,
        describe=_rename_lines,
        needs_feature=True,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRename:
    """Rename a stored column or field.

    Args:
        path: Its path, under its old name.
        to: The new name.
    """

    path: ColumnPath
    to: str

    def __post_init__(self) -> None:
        require_change(self, self.path.name != self.to)


def _move_lines(change: ColumnMove, observed: TableState) -> Iterator[ChangeLine]:
    names = [column.name for column in observed.columns]
    index = names.index(change.name) if change.name in names else None
    before = "last" if index is None else f"behind {names[index - 1]}" if index else "first"
    after = f"behind {change.after}" if change.after else "first"
    yield ChangeLine(CHANGE, part_path("columns", change.name, "order"), before, after)


class ColumnOrderDiffers:
    """A column has a different position in the table and in the model.

    The order is compared only for models with ``column_order="manage"`` or ``column_order="report"``.

    Remedy: Apply the model, or declare the columns in the order of the table.

    Example:
        note, number = Column("note", "string"), Column("number", "bigint")
        stored = Table("dev", "silver", "orders", [note, number])
        model = Table("dev", "silver", "orders", [number, note], column_order="manage")
    """

    code = "DD107"


@declare(
    ChangeKind(
        aspect="columns", drift=ColumnOrderDiffers, step=Step.MOVE_COLUMNS, risk=Risk.METADATA, describe=_move_lines
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMove:
    """Move the stored column ``name`` after another column; ``None`` moves it before all others.

    Args:
        name: Name of the stored column.
        after: The column that it follows afterwards.
    """

    name: str
    after: str | None

    def __post_init__(self) -> None:
        require_change(self, self.name != self.after)


def _type_lines(change: ColumnTypeChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = describe_type(change.before), describe_type(change.after)
    yield ChangeLine(CHANGE, part_path("columns", change.path), before, after, loss=loss(change.enables))


def _type_features(change: ColumnTypeChange) -> frozenset[str]:
    return features_of_types([change.after])


class TypeDiffers:
    """A column, a field or an element has another type in the table than in the model.

    Delta changes a type in place only to a wider one, and that of a void column; all other changes are refused.

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


def _nullability_lines(change: ColumnNullabilityChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = ("not null", "nullable") if change.is_nullable else ("nullable", "not null")
    yield ChangeLine(CHANGE, part_path("columns", change.path), before, after, loss=loss(change.enables))


def _nullability_features(change: ColumnNullabilityChange) -> tuple[str, ...]:
    return () if change.is_nullable else ("invariants",)


def _nullability_risk(change: ColumnNullabilityChange) -> Risk:
    return Risk.METADATA if change.is_nullable else Risk.SCAN


class NullabilityDiffers:
    """A column or a field may be NULL in the model and not in the table, or the other way round.

    Forbidding NULL reads all rows; rows that hold NULL forbid it.

    Remedy: Apply the model, or declare the nullability that the table has (``is_nullable``).

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
    """

    code = "DD105"


@declare(
    ChangeKind(
        aspect="columns",
        drift=NullabilityDiffers,
        step=Step.CHANGE_NULLABILITY,
        risk=_nullability_risk,
        describe=_nullability_lines,
        features=_nullability_features,
        needs_data_check=True,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNullabilityChange:
    """Allow NULL in a stored column or field, or forbid it.

    Args:
        path: Its path.
        is_nullable: Whether NULL is allowed afterwards.
        enables: What it enables in the protocol of the table.
    """

    path: ColumnPath
    is_nullable: bool
    enables: tuple[str, ...] = ()


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


AnyColumnChange = Union[  # noqa: UP007 - a union at run time
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnGenerationChange,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
]

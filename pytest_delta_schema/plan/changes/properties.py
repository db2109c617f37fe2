"""Changes of table properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.features import loss, missing_features, needed_by_property
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.diagnostics.redaction import redacted_uris, shown_property
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, CHANGE, DROP
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.states import OWNED_PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.state.states import TableState


__all__ = ["ColumnMappingRemoval", "SetTableProperties", "UnsetTableProperties"]


def _set_lines(change: SetTableProperties, observed: TableState) -> Iterator[ChangeLine]:
    for key, value in change.properties.items():
        lost = loss(missing_features(needed_by_property(key, value), ()).intersection(change.enables))
        before = observed.table_properties.get(key)
        if key == OWNED_PROPERTIES and observed.owned_properties is not None:
            before = encode_owned(observed.owned_properties)
        after = repr(redacted_uris(value))
        if before is None:
            yield ChangeLine(ADD, part_path("properties", key), ABSENT, after, loss=lost)
        else:
            yield ChangeLine(CHANGE, part_path("properties", key), shown_property(key, before), after, loss=lost)


def _needed(change: SetTableProperties) -> frozenset[str]:
    return frozenset().union(*(needed_by_property(key, value) for key, value in change.properties.items()))


class PropertyDiffers:
    """A declared table property is not in the table, or has another value there.

    Some properties enable a table feature, which older clients may not support; such a change has the risk
    ``feature``.

    Remedy: Apply the model, or declare the value that the table has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], table_properties={"team": "sales"}
        )
    """

    code = "DD120"


@declare(
    ChangeKind(
        aspect="properties",
        drift=PropertyDiffers,
        step=Step.SET_PROPERTIES,
        risk=Risk.METADATA,
        describe=_set_lines,
        features=_needed,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SetTableProperties:
    """Set properties.

    Args:
        properties: Sorted by key.
        enables: What they enable in the protocol of the table.
    """

    properties: Mapping[str, str]
    enables: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_change(self, bool(self.properties))


def _unset_lines(change: UnsetTableProperties, observed: TableState) -> Iterator[ChangeLine]:
    for key in change.keys:
        before = observed.table_properties.get(key)
        if key == OWNED_PROPERTIES:
            before = encode_owned(observed.owned_properties or ())
        yield ChangeLine(DROP, part_path("properties", key), shown_property(key, str(before)), ABSENT)


class UndeclaredProperty:
    """The table has a property that the model wants to be absent.

    The model declares it with the value ``None``, or has set it before, as the setting ``owned_properties`` records.

    Remedy: Apply the model, or declare the property.

    Example:
        stored = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], table_properties={"team": "sales"}
        )
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], table_properties={"team": None}
        )
    """

    code = "DD121"


@declare(
    ChangeKind(
        aspect="properties",
        drift=UndeclaredProperty,
        step=Step.UNSET_PROPERTIES,
        risk=Risk.METADATA,
        describe=_unset_lines,
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTableProperties:
    """Remove the properties ``keys``, sorted and spelled as stored."""

    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))


def _removal_lines(change: ColumnMappingRemoval, observed: TableState) -> Iterator[ChangeLine]:
    before = shown_property(change.key, str(observed.table_properties.get(change.key)))
    path = part_path("properties", change.key)
    if change.after is None:
        yield ChangeLine(DROP, path, before, ABSENT)
    else:
        yield ChangeLine(CHANGE, path, before, repr(change.after))


class ColumnMappingDeclaredOff:
    """The table uses column mapping, and the model declares ``delta.columnMapping.mode`` as ``none``, or as absent.

    An apply writes all data files again, under the names of the columns (Delta 4.4.0); it needs consent to the rewrite.

    Remedy: Apply the model, or declare the mode that the table has.

    Example:
        mapped = {"delta.columnMapping.mode": "name"}
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=mapped)
        unmapped = {"delta.columnMapping.mode": "none"}
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=unmapped)
    """

    code = "DD127"


@declare(
    ChangeKind(
        aspect="properties",
        drift=ColumnMappingDeclaredOff,
        step=Step.REMOVE_COLUMN_MAPPING,
        risk=Risk.REWRITE,
        describe=_removal_lines,
        consent="rewrite",
    )
)
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMappingRemoval:
    """Write all data again without column mapping.

    Args:
        key: The property of the mode, as it is spelled in the table.
        after: Its value; ``None`` if it is removed.
    """

    key: str
    after: str | None


PropertiesChange = Union[ColumnMappingRemoval, SetTableProperties, UnsetTableProperties]  # noqa: UP007 - a union at run time

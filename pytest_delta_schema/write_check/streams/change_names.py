"""The names under which the answers of Delta are recorded, for every change of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import is_on
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.delta.type_widening import Widening, widening
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.changes.kind import enabled_by
from pytest_delta_schema.state.type_traversal import not_null_paths
from pytest_delta_schema.state.types import is_generated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState

NO_PLAN = "no-plan"
"""The name of changes that no statement of Delta makes, and no steps of a rule: nothing is recorded of them."""

_WITH_FEATURES = (kinds.CheckAdd, kinds.ClusteringChange, kinds.LayoutRewrite, kinds.SetTableProperties)
"""Changes that were recorded on tables that had not enabled the features before."""


def names_of(change: Change, observed: TableState) -> Iterator[str]:
    """Yield the names of a change: of what it does, and of the table features that it enables.

    Raises:
        TypeError: If its class is not a kind of change that has a name.
    """
    namer = NAMERS.get(type(change))
    if namer is None:
        msg = f"{type(change).__name__} has no name in the table of stream rules; add one in change_names.py"
        raise TypeError(msg)
    yield from namer(change, observed)
    if not isinstance(change, _WITH_FEATURES):
        yield from (f"feature {feature}" for feature in enabled_by(change))


def property_name(key: str, value: str | None) -> str:
    """Return the name of a property that gets a value, or is removed."""
    if not folded(key).startswith("delta."):
        return "property-unset" if value is None else "property-set"
    if folded(key).startswith(FEATURE_PREFIX) and value is not None:
        return f"feature {key[len(FEATURE_PREFIX) :]}"
    if value is None:
        return f"{key} unset"
    if is_on(key, {key: value}) or folded(value) == "true":
        return f"{key} on"
    return f"{key} {'off' if folded(value) == 'false' else 'set'}"


def _added(change: kinds.ColumnAdd, _observed: TableState) -> Iterator[str]:
    if is_generated(change.column):
        yield NO_PLAN
    elif any(not_null_paths([change.column], change.above)):
        yield NO_PLAN if len(change.above) else "not-null-column-added"
    else:
        yield "field-added" if len(change.above) else "column-added"


def _dropped(change: kinds.ColumnDrop, _observed: TableState) -> Iterator[str]:
    yield "field-dropped" if len(change.above) else "column-dropped"


def _renamed(change: kinds.ColumnRename, _observed: TableState) -> Iterator[str]:
    yield "field-renamed" if change.path.is_nested else "column-renamed"


def _nullability(change: kinds.ColumnNullabilityChange, _observed: TableState) -> Iterator[str]:
    name = "null-allowed" if change.is_nullable else "null-forbidden"
    yield f"field-{name}" if change.path.is_nested else name


def _retyped(change: kinds.ColumnTypeChange, _observed: TableState) -> Iterator[str]:
    kind, is_nested = widening(change.before, change.after), change.path.is_nested
    if kind is Widening.BY_FEATURE:
        yield "field-type-widened" if is_nested else "type-widened"
    elif is_nested:
        yield NO_PLAN
    elif kind is None:
        yield "type-swapped"
    else:
        is_longer = str(change.before).startswith("varchar") and str(change.after).startswith("varchar")
        yield "text-lengthened" if is_longer else "text-retyped"


def _default(change: kinds.ColumnDefaultChange, _observed: TableState) -> Iterator[str]:
    if change.before is None:
        yield "default-set"
    else:
        yield "default-dropped" if change.after is None else "default-changed"


def _clustering(change: kinds.ClusteringChange, _observed: TableState) -> Iterator[str]:
    yield f"clustering-{_become(change.before, change.after)}"


def _layout(change: kinds.LayoutRewrite, observed: TableState) -> Iterator[str]:
    if change.clustering:
        yield "partitioning-to-clustering"
    else:
        yield f"partitioning-{_become(observed.partitioning, change.partitioning)}"


def _become(before: tuple[object, ...], after: tuple[object, ...]) -> str:
    if not before:
        return "added"
    return "changed" if after else "dropped"


def _set(change: kinds.SetTableProperties, _observed: TableState) -> Iterator[str]:
    yield from (property_name(key, value) for key, value in change.properties.items())


def _unset(change: kinds.UnsetTableProperties, _observed: TableState) -> Iterator[str]:
    yield from (property_name(key, None) for key in change.keys)


def _always(name: str) -> Callable[[object, TableState], Iterator[str]]:
    return lambda _change, _observed: iter([name])


NAMERS: Mapping[type, Callable[..., Iterator[str]]] = {
    kinds.CheckAdd: _always("check-added"),
    kinds.CheckDrop: _always("check-dropped"),
    kinds.ClusteringChange: _clustering,
    kinds.ColumnAdd: _added,
    kinds.ColumnDefaultChange: _default,
    kinds.ColumnDrop: _dropped,
    kinds.ColumnGenerationChange: _always(NO_PLAN),
    kinds.ColumnMappingRemoval: _always("column-mapping-removed"),
    kinds.ColumnMove: _always("column-moved"),
    kinds.ColumnNullabilityChange: _nullability,
    kinds.ColumnRename: _renamed,
    kinds.ColumnTypeChange: _retyped,
    kinds.ConvertTable: _always(NO_PLAN),
    kinds.ForeignKeyAdd: _always("foreign-key-added"),
    kinds.ForeignKeyDrop: _always("foreign-key-dropped"),
    kinds.LayoutRewrite: _layout,
    kinds.PrimaryKeyAdd: _always("primary-key-added"),
    kinds.PrimaryKeyDrop: _always("primary-key-dropped"),
    kinds.SetColumnComments: _always("column-commented"),
    kinds.SetTableComment: _always("table-commented"),
    kinds.SetTableProperties: _set,
    kinds.SetTags: _always("tags-set"),
    kinds.UniqueAdd: _always("unique-added"),
    kinds.UniqueDrop: _always("unique-dropped"),
    kinds.UnsetTableProperties: _unset,
    kinds.UnsetTags: _always("tags-unset"),
}
"""What names each kind of change, which a test holds to be all of them."""

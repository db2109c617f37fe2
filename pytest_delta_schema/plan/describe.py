"""Describe a plan line by line: what changes where, from what, to what."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.features import loss, raises_protocol
from pytest_delta_schema.plan import changes
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.layout import CLUSTERING_FEATURE
from pytest_delta_schema.plan.risk import Risk, risk_of
from pytest_delta_schema.state.conversion import DELTA
from pytest_delta_schema.state.delta_log import encode_owned
from pytest_delta_schema.state.states import OWNED_PROPERTIES
from pytest_delta_schema.state.types import describe_type, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.state.states import ForeignKeyState, TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState

ADD, DROP, CHANGE = "+", "-", "~"
_ABSENT = "(absent)"


class ChangeLine(NamedTuple):
    """One thing that changes.

    Args:
        marker: ``+`` comes, ``-`` goes, ``~`` changes in place.
        path: Where inside the table: ``columns.id``, ``columns.id.comment``, ``properties.team``, ``primary_key``.
        before: What the catalog holds.
        after: What the model wants.
        risk: What it may cost.
        loss: What clients lose if it raises the protocol.
    """

    marker: str
    path: str
    before: str
    after: str
    risk: Risk = Risk.METADATA
    loss: str = ""

    def __str__(self) -> str:
        return f"{self.marker} {self.path}: {self.before} -> {self.after}"


def change_lines(action: CreateTable | AlignTable) -> tuple[ChangeLine, ...]:
    """Describe an action, change by change."""
    if isinstance(action, CreateTable):
        return tuple(_creation(action))
    return tuple(
        line._replace(risk=risk_of(change)) for change in action.changes for line in _lines(change, action.observed)
    )


def _creation(action: CreateTable) -> Iterator[ChangeLine]:
    if action.creates_schema:
        yield ChangeLine(ADD, f"schema {action.table.catalog}.{action.table.schema}", _ABSENT, "created")
    plural = "" if len(action.columns) == 1 else "s"
    yield ChangeLine(ADD, "table", _ABSENT, f"created with {len(action.columns)} column{plural}")
    for column in action.columns:
        yield ChangeLine(ADD, f"columns.{column.name}", _ABSENT, _describe(column))
    for check in action.checks:
        yield ChangeLine(ADD, f"checks.{check.name}", _ABSENT, check.expression)
    if action.primary_key is not None:
        yield ChangeLine(ADD, "primary_key", _ABSENT, _key(action.primary_key))
    for change in action.foreign_keys:
        yield ChangeLine(ADD, f"foreign_keys.{change.key.name}", _ABSENT, describe_foreign_key(change.key))
    if action.partitioning or action.clustering:
        yield ChangeLine(ADD, "layout", _ABSENT, describe_layout(action.partitioning, action.clustering))
    if action.table_comment:
        yield ChangeLine(ADD, "comment", _ABSENT, repr(action.table_comment))
    for key, value in action.table_properties.items():
        yield ChangeLine(ADD, f"properties.{key}", _ABSENT, repr(value))
    for tags in action.tags:
        yield from _new_tags(tags, {})


@singledispatch
def _lines(change: object, _observed: TableState) -> Iterator[ChangeLine]:
    msg = f"no description for {type(change).__name__}"
    raise NotImplementedError(msg)


@_lines.register(changes.ColumnRename)
def _(change: changes.ColumnRename, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(CHANGE, f"columns.{_dotted(change.path)}", change.path[-1], f"{change.to} (renamed)")


@_lines.register(changes.ColumnAdd)
def _(change: changes.ColumnAdd, _observed: TableState) -> Iterator[ChangeLine]:
    # Its default has a line of its own, because it is set by a statement of its own.
    yield ChangeLine(ADD, f"columns.{_dotted(change.path)}", _ABSENT, _describe(change.bare))


@_lines.register(changes.ColumnDrop)
def _(change: changes.ColumnDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, f"columns.{_dotted(change.path)}", _describe(change.column), "(not in the model)")


@_lines.register(changes.ColumnTypeChange)
def _(change: changes.ColumnTypeChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = describe_type(change.before), describe_type(change.after)
    yield ChangeLine(CHANGE, f"columns.{_dotted(change.path)}", before, after)


@_lines.register(changes.ConvertTable)
def _(change: changes.ConvertTable, _observed: TableState) -> Iterator[ChangeLine]:
    source = change.source
    before = source.provider if source.is_registered else f"{source.provider} in {source.path}"
    lost = "clients that read parquet have to read the table" if source.provider != DELTA else ""
    yield ChangeLine(CHANGE, "format", before, "delta", loss=lost)


@_lines.register(changes.ClusteringChange)
def _(change: changes.ClusteringChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = describe_layout((), change.before), describe_layout((), change.after)
    yield ChangeLine(CHANGE, "layout", before, after, loss=loss(CLUSTERING_FEATURE) if change.raises_protocol else "")


@_lines.register(changes.LayoutRewrite)
def _(change: changes.LayoutRewrite, observed: TableState) -> Iterator[ChangeLine]:
    before = describe_layout(observed.partitioning, observed.clustering)
    after = describe_layout(change.partitioning, change.clustering)
    raises = bool(change.clustering) and CLUSTERING_FEATURE not in observed.table_properties
    yield ChangeLine(CHANGE, "layout", before, after, loss=loss(CLUSTERING_FEATURE) if raises else "")


@_lines.register(changes.ColumnMove)
def _(change: changes.ColumnMove, observed: TableState) -> Iterator[ChangeLine]:
    names = [column.name for column in observed.columns]
    place = names.index(change.name) if change.name in names else None
    before = "last" if place is None else f"behind {names[place - 1]}" if place else "first"
    yield ChangeLine(
        CHANGE, f"columns.{change.name}.order", before, f"behind {change.after}" if change.after else "first"
    )


@_lines.register(changes.ColumnDefaultChange)
def _(change: changes.ColumnDefaultChange, _observed: TableState) -> Iterator[ChangeLine]:
    path, before, after = f"columns.{_dotted(change.path)}.default", change.before, change.after
    marker = ADD if before is None else DROP if after is None else CHANGE
    yield ChangeLine(marker, path, _ABSENT if before is None else before, _ABSENT if after is None else after)


@_lines.register(changes.ColumnGenerationChange)
def _(change: changes.ColumnGenerationChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = describe_value(change.before), describe_value(change.after)
    yield ChangeLine(CHANGE, f"columns.{change.name}", before or "written by writers", after or "written by writers")


@_lines.register(changes.ColumnNullabilityChange)
def _(change: changes.ColumnNullabilityChange, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = ("not null", "nullable") if change.is_nullable else ("nullable", "not null")
    yield ChangeLine(CHANGE, f"columns.{_dotted(change.path)}", before, after)


@_lines.register(changes.SetColumnComments)
def _(change: changes.SetColumnComments, observed: TableState) -> Iterator[ChangeLine]:
    for path, comment in change.by_path.items():
        before = find(observed.columns, path)
        yield ChangeLine(
            CHANGE, f"columns.{_dotted(path)}.comment", repr(before.comment if before else ""), repr(comment)
        )


@_lines.register(changes.SetTableComment)
def _(change: changes.SetTableComment, observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(CHANGE, "comment", repr(observed.table_comment), repr(change.comment))


@_lines.register(changes.SetTableProperties)
def _(change: changes.SetTableProperties, observed: TableState) -> Iterator[ChangeLine]:
    for key, value in change.properties.items():
        lost = loss(key) if raises_protocol(key, value) else ""
        before = observed.table_properties.get(key)
        if key == OWNED_PROPERTIES and observed.owned_properties is not None:
            before = encode_owned(observed.owned_properties)
        if before is None:
            yield ChangeLine(ADD, f"properties.{key}", _ABSENT, repr(value), loss=lost)
        else:
            yield ChangeLine(CHANGE, f"properties.{key}", repr(before), repr(value), loss=lost)


@_lines.register(changes.UnsetTableProperties)
def _(change: changes.UnsetTableProperties, observed: TableState) -> Iterator[ChangeLine]:
    for key in change.keys:
        before = observed.table_properties.get(key)
        if key == OWNED_PROPERTIES:
            before = encode_owned(observed.owned_properties or ())
        yield ChangeLine(DROP, f"properties.{key}", repr(before), _ABSENT)


@_lines.register(changes.SetTags)
def _(change: changes.SetTags, observed: TableState) -> Iterator[ChangeLine]:
    yield from _new_tags(change, observed.tags.get(change.path, {}))


def _new_tags(change: changes.SetTags, there: Mapping[str, str | None]) -> Iterator[ChangeLine]:
    for key, value in change.tags.items():
        before = there.get(key)
        marker, said = (ADD, _ABSENT) if before is None else (CHANGE, repr(before))
        yield ChangeLine(marker, _tag(change.path, key), said, repr(value))


@_lines.register(changes.UnsetTags)
def _(change: changes.UnsetTags, observed: TableState) -> Iterator[ChangeLine]:
    for key in change.keys:
        yield ChangeLine(DROP, _tag(change.path, key), repr(observed.tags[change.path][key]), _ABSENT)


@_lines.register(changes.PrimaryKeyAdd)
def _(change: changes.PrimaryKeyAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, "primary_key", _ABSENT, _key(change))


@_lines.register(changes.PrimaryKeyDrop)
def _(change: changes.PrimaryKeyDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, "primary_key", _key(change), _ABSENT)


@_lines.register(changes.CheckAdd)
def _(change: changes.CheckAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, f"checks.{change.name}", _ABSENT, change.expression)


@_lines.register(changes.CheckDrop)
def _(change: changes.CheckDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, f"checks.{change.name}", change.expression, "(absent, which loosens the table)")


@_lines.register(changes.CheckReplace)
def _(change: changes.CheckReplace, _observed: TableState) -> Iterator[ChangeLine]:
    before, after = change.before, change.after
    if before.name.lower() != after.name.lower():
        yield ChangeLine(CHANGE, f"checks.{before.name}", before.name, f"{after.name} (renamed)")
    else:
        yield ChangeLine(CHANGE, f"checks.{before.name}", before.expression, after.expression)


@_lines.register(changes.ForeignKeyAdd)
def _(change: changes.ForeignKeyAdd, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(ADD, f"foreign_keys.{change.key.name}", _ABSENT, describe_foreign_key(change.key))


@_lines.register(changes.ForeignKeyDrop)
def _(change: changes.ForeignKeyDrop, _observed: TableState) -> Iterator[ChangeLine]:
    yield ChangeLine(DROP, f"foreign_keys.{change.key.name}", describe_foreign_key(change.key), _ABSENT)


def describe_foreign_key(key: ForeignKeyState) -> str:
    """Write what a foreign key says: ``(customer_id) references dev.silver.customers (id)``."""
    there = f" ({', '.join(key.parent_columns)})" if key.parent_columns else ""
    return f"({', '.join(key.columns)}) references {key.parent}{there}"


def describe_layout(partitioning: tuple[str, ...], clustering: tuple[tuple[str, ...], ...]) -> str:
    """Write how files are laid out."""
    if partitioning:
        return f"partitioned by ({', '.join(partitioning)})"
    return (
        f"clustered by ({', '.join(map(_dotted, clustering))})" if clustering else "neither partitioned nor clustered"
    )


def _tag(path: tuple[str, ...], key: str) -> str:
    return _dotted(("columns", *path, "tags", key)) if path else f"tags.{key}"


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(path)


def _describe(column: ColumnState) -> str:
    value = describe_value(column.value)
    return describe_type(column.data_type) + ("" if column.is_nullable else " not null") + (value and f" {value}")


def describe_value(value: ColumnGeneration | None) -> str:
    """Write where a column gets its values from; ``""`` if every writer has to give them."""
    if value is None:
        return ""
    default, generated, identity = value
    said = [] if generated is None else [f"generated always as ({generated})"]
    if identity is not None:
        how = "always" if identity.is_always else "by default"
        said.append(f"generated {how} as identity ({identity.start} by {identity.step})")
    if default is not None:
        said.append(f"default {default}")
    return " ".join(said)


def _key(key: changes.PrimaryKeyAdd | changes.PrimaryKeyDrop) -> str:
    return f"{key.name} ({', '.join(key.columns)})"

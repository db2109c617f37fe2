"""Notes: what a comparison finds that is neither a change nor a violation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.diagnostics.diagnostic_builders import note
from pytest_delta_schema.diagnostics.remarks import (
    AcceptedColumn,
    EqualExpression,
    OtherSpelling,
    PossibleRename,
    ReadOnlyObject,
    RelyUnknown,
)
from pytest_delta_schema.plan.aspects.checks import cosmetic_differences
from pytest_delta_schema.plan.aspects.defaults import cosmetic_values
from pytest_delta_schema.state.types import describe_type, equal_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.difference import Difference, PlacedColumn
    from pytest_delta_schema.state.states import ForeignKeyState, KeyState, TableState


def notes_on_object(name: QualifiedName, observed: TableState) -> Iterator[Diagnostic]:
    """Yield the notes on a table whose stored name differs in case, or that is not a Delta table."""
    if observed.kind:
        yield note(ReadOnlyObject, name, "", f"is a {observed.kind}, which is only compared")
    if observed.name.written != name:
        message = f"the catalog stores it as {observed.name.written}; names match without case"
        yield note(OtherSpelling, name, "", message)


def notes_on(difference: Difference) -> Iterator[Diagnostic]:
    """Yield the notes on a difference: other spellings, equal expressions, extra columns, possible renames."""
    name = difference.desired.name
    for pair in difference.changed:
        if pair.desired.name != pair.observed.name:
            stored, path = pair.observed.name, str(pair.path)
            fact = f"column {pair.desired.name} is stored as {path}; names match without case"
            reason = "and Delta has no rename by case alone"
            way = f"write {stored} in the model to silence this note, or rename it over a third name in two applies"
            yield note(OtherSpelling, name, part_path("columns", pair.path), f"{fact}, {reason}: {way}")
    for check, other in cosmetic_differences(difference):
        message = f"check {other.name} is stored as {other.expression}, which is equal to {check.expression}"
        yield note(EqualExpression, name, part_path("checks", other.name), message)
    for column_path, wanted, stored_value in cosmetic_values(difference):
        message = f"column {column_path} is filled by {stored_value}, which is equal to {wanted}"
        yield note(EqualExpression, name, part_path("columns", column_path), message)
    keys: tuple[KeyState | ForeignKeyState | None, ...] = (
        difference.observed.primary_key,
        *difference.observed.foreign_keys,
    )
    for key in keys:
        if key is not None and key.rely is None:
            message = f"the catalog does not show whether queries may rely on key {key.name}, which is not compared"
            yield note(RelyUnknown, name, key.path, message)
    for extra in difference.extras:
        kind = describe_type(extra.column.data_type)
        message = f"column {extra.path} ({kind}) is not in the model, and stays because the contract is additive"
        yield note(AcceptedColumn, name, part_path("columns", extra.path), message)
    coming = list(difference.added)
    for gone in difference.dropped:
        twin = next((new for new in coming if _looks_like(new, gone)), None)
        if twin is not None:
            coming.remove(twin)
            old, new = gone.path, twin.path
            message = f"column {old} is dropped and {new} is added with the same type; if that is a rename, write"
            hint = f"renamed_from={gone.column.name!r} at {new}"
            yield note(PossibleRename, name, part_path("columns", new), f"{message} {hint}")


def _looks_like(new: PlacedColumn, gone: PlacedColumn) -> bool:
    return new.above == gone.above and equal_types(new.column.data_type, gone.column.data_type)

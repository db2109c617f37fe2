"""Expect that one constraint, and no other, stops a write."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.constraint_violations import CHECK, NOT_NULL, constraint_error
from pytest_delta_schema.delta.folded_names import NameSet, same_name
from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.type_traversal import not_null_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.models.table import Table


@contextmanager
def stopped_by(model: Table, *, check: str | None = None, not_null: str | None = None) -> Iterator[None]:
    """Pass only if the block's write is stopped by the named constraint of ``model``.

    Args:
        model: The table that is written to.
        check: Name of one of its checks.
        not_null: Name of one of its NOT NULL columns; one of the two is given.

    Raises:
        DeclarationError: If the model has no such constraint.
        AssertionError: If nothing stopped the write, or another constraint did.
    """
    kind, name = _expected(model, check, not_null)
    __tracebackhide__ = True
    try:
        yield
    except Exception as error:
        stopped = constraint_error(error, [model])
        if stopped is None:
            raise
        if stopped.kind != kind or not same_name(stopped.name, name):
            msg = f"{model.qualified_name}: {kind} {name} should have stopped the write, and {stopped} did"
            raise AssertionError(msg) from error
        return
    msg = f"{model.qualified_name}: {kind} {name} should have stopped the write, and nothing did"
    raise AssertionError(msg)


def _expected(model: Table, check: str | None, not_null: str | None) -> tuple[str, str]:
    if (check is None) == (not_null is None):
        msg = f"{model.qualified_name}: name one constraint, check=... or not_null=..."
        raise DeclarationError(msg)
    if check is not None:
        known, kind, name = [constraint.name for constraint in model.checks], CHECK, check
    else:
        known = [str(path) for path in not_null_paths(desired_state(model).columns)]
        kind, name = NOT_NULL, str(not_null)
    if name not in NameSet(known):
        msg = f"{model.qualified_name}: there is no {kind} {name} in the model; it has {', '.join(known) or 'none'}"
        raise DeclarationError(msg)
    return kind, name

"""Expect that one constraint, and no other, stops a write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.backends.rows.constraint_violations import CHECK, NOT_NULL, constraint_error
from pytest_delta_schema.delta.names.folded_names import NameSet, same_name
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import require_name
from pytest_delta_schema.models.required_kinds import required_table
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.type_traversal import not_null_paths

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_delta_schema.models.table import Table


@hides_traceback
def raises_constraint(
    model: Table, *, check: str | None = None, not_null: str | None = None
) -> AbstractContextManager[None]:
    """Return a context that is passed only if the block's write is stopped by the named constraint of ``model``.

    One of ``check``, the name of a check, and ``not_null``, the name of a NOT NULL column, is given.

    Raises:
        DeclarationError: If ``model`` is not a model, or has no such constraint.
        AssertionError: By the context, if nothing stopped the write, or another constraint did.
    """
    return _StoppedBy(required_table(model, "delta_raises"), *_expected(model, check, not_null))


class _StoppedBy:
    """Expects one constraint; a class and not a generator, whose errors would show a line of Python's library."""

    def __init__(self, model: Table, kind: str, name: str) -> None:
        self._model = model
        self._kind = kind
        self._name = name

    def __enter__(self) -> None:
        """Do nothing; only the end of the block counts."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        __tracebackhide__ = True
        expected = f"{self._model.qualified_name}: {self._kind} {self._name} should have stopped the write"
        if error is None:
            msg = f"{expected}, and nothing did"
            raise AssertionError(msg)
        stopped = constraint_error(error, models=[self._model]) if isinstance(error, Exception) else None
        if stopped is None:
            return False
        if stopped.kind != self._kind or not same_name(stopped.name, self._name):
            msg = f"{expected}, and {stopped} did"
            raise AssertionError(msg) from error
        return True


def _expected(model: Table, check: str | None, not_null: str | None) -> tuple[str, str]:
    if (check is None) == (not_null is None):
        msg = f"{model.qualified_name}: name one constraint, check=... or not_null=..."
        raise DeclarationError(msg)
    if check is not None:
        known, kind, name = [constraint.name for constraint in model.checks], CHECK, check
    else:
        known = [str(path) for path in not_null_paths(desired_state(model).columns)]
        kind, name = NOT_NULL, not_null or ""
    require_name(name, "the constraint of delta_raises")
    if name not in NameSet(known):
        msg = f"{model.qualified_name}: there is no {kind} {name} in the model; it has {', '.join(known) or 'none'}"
        raise DeclarationError(msg)
    return kind, name

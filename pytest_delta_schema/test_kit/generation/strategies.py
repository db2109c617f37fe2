"""Rows of a model as a strategy of hypothesis, which is imported when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.test_kit.generation.parent_rows import listed_parents
from pytest_delta_schema.test_kit.generation.rows import rows_of, valid_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hypothesis.strategies import DrawFn, SearchStrategy

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.test_kit.generation.rows import Row


def rows_strategy(
    model: Table,
    *,
    min_size: int = 0,
    max_size: int = 10,
    parents: Mapping[Table | str, Iterable[Mapping[str, Any]]] | None = None,
    **columns: Any,
) -> SearchStrategy[list[Row]]:
    """Return a strategy of hypothesis for lists of rows that satisfy the contract of a model.

    They shrink to fewer rows, and to those of seed 0 in :func:`rows_of`.

    Args:
        model: The contract.
        min_size: The least number of rows.
        max_size: The greatest number of rows; a key with fewer values needs a smaller one.
        parents: As in :func:`rows_of`.
        **columns: As in :func:`rows_of`; or a strategy, from which a value is drawn for each row.

    Raises:
        DeclarationError: If hypothesis is not installed, or as :func:`rows_of`.
        InvalidModelError: If the declaration breaks rules.
    """
    try:
        from hypothesis import strategies as st  # noqa: PLC0415 - optional
    except ModuleNotFoundError:
        msg = "rows_strategy needs hypothesis, which is not installed; run: pip install hypothesis"
        raise DeclarationError(msg) from None
    # Each example reads the rows of the parents again.
    listed = listed_parents(valid_state(model, "rows_strategy"), parents or {})
    known: Mapping[Table | str, list[Any]] = {str(parent): rows for parent, rows in listed.items()}
    rows_of(model, 0, parents=known, **columns)
    drawn = {name: value for name, value in columns.items() if isinstance(value, st.SearchStrategy)}
    fixed = {name: value for name, value in columns.items() if name not in drawn}

    @st.composite
    def rows(draw: DrawFn) -> list[Row]:
        number = draw(st.integers(min_size, max_size))
        given = [
            {
                **{name: value(position) if callable(value) else value for name, value in fixed.items()},
                **{name: draw(strategy) for name, strategy in drawn.items()},
            }
            for position in range(number)
        ]
        return rows_of(model, given, seed=draw(st.integers(0, 1000)), parents=known)

    return rows()

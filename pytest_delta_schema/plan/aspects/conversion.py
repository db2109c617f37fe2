"""Plan the conversion of parquet files to a Delta table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.state.conversion import DELTA
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.plan.difference import Difference
    from pytest_delta_schema.state.states import TableState


def as_converted(desired: TableState, observed: TableState) -> TableState:
    """Return the state of files after their conversion.

    The partition columns of a folder have no types but those that the model gives them.
    """
    source = observed.source
    if source is None or source.is_registered or source.provider == DELTA:
        return observed
    partitioned = NameSet(observed.partitioning)
    typed = []
    for column in observed.columns:
        wanted = find(desired.columns, (column.name,)) if column.name in partitioned else None
        typed.append(column if wanted is None else column._replace(name=wanted.name, data_type=wanted.data_type))
    names = NameMap((column.name, column.name) for column in typed)
    partitioning = tuple(names.get(name) or name for name in observed.partitioning)
    return replace(observed, columns=tuple(typed), partitioning=partitioning)


def conversion_changes(difference: Difference) -> Sequence[Change]:
    """Return the conversion, if the table is not a Delta table yet."""
    observed = difference.observed
    source = observed.source
    if source is None:
        return ()
    wish = difference.desired.convert_from
    columns = [find(observed.columns, (name,)) for name in observed.partitioning]
    conversion = ConvertTable(
        source=source,
        partitions=tuple((column.name, column.data_type) for column in columns if column is not None),
        statistics=wish is None or wish.statistics,
        creates_schema=not observed.schema_exists,
    )
    return (conversion,)

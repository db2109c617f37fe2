"""Assert that a frame can be appended to the table of a model exactly as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.names.column_path import first_part
from pytest_delta_schema.delta.names.folded_names import NameMap, folded
from pytest_delta_schema.diagnostics.errors import DeclarationError, WriteError
from pytest_delta_schema.engine.write_checks import check_write, written_table
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.report.text.schema_comparison import schema_diff
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.type_traversal import is_assignable
from pytest_delta_schema.state.types import describe_type
from pytest_delta_schema.write_check.options import WriteOptions
from pytest_delta_schema.write_check.prediction import stored_state
from pytest_delta_schema.write_check.verdict import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState
    from pytest_delta_schema.write_check.verdict import WriteVerdict


@hides_traceback
def assert_frame_fits(model: Table, frame: DataFrame | StructType) -> WriteVerdict:
    """Make sure, before a write, that an append of ``frame`` stores every column as it is; no JVM is needed.

    Delta also accepts frames of which it casts columns, and fills those that are missing with NULL. Here each column
    of the frame is declared with its type, and each declared column is in the frame, unless the table gives it a
    default, generated or identity value. Rows are not computed: :func:`assert_rows_satisfy` checks them.

    Args:
        model: The contract.
        frame: A DataFrame, or its schema.

    Returns:
        The prediction of the write; its notes are the columns that the table fills.

    Raises:
        WriteError: An ``AssertionError`` with every column that does not fit, and both schemas side by side.
        DeclarationError: If ``frame`` has no schema, or ``model`` is not a model.
    """
    if not isinstance(model, Table):
        msg = f"assert_frame_fits takes a model and a frame, and was given {model!r} as model; give a Table"
        raise DeclarationError(msg)
    verdict = check_write(model, frame, WriteOptions(method="save_as_table"))
    state = stored_state(written_table(model))
    schema: Any = getattr(frame, "schema", frame)
    faults = dict(_misfits(canonical_fields(schema.fields), state))
    if not verdict.accepted or faults:
        head = f"{state.name}: the frame does not fit the model"
        others = [finding for finding in verdict.findings if folded(_column(finding)) not in faults]
        reasons = [f"  ! {reason}" for reason in (*faults.values(), *map(reason_of, others))]
        difference = schema_diff(state, frame, names=("model", "frame"), nullability=False)
        msg = "\n".join([head, *reasons, *([f"\n{difference}"] if difference else [])])
        raise WriteError(msg)
    return verdict


def _column(finding: Diagnostic) -> str:
    """Return the column that a finding is about; ``""`` if it is about the table."""
    return first_part(finding.path)[0].name if finding.path else ""


def _misfits(fields: tuple[ColumnState, ...], state: TableState) -> Iterator[tuple[str, str]]:
    """Yield each column that does not fit, by its name in lower case, with the reason."""
    given, declared = NameMap.of(fields), NameMap.of(state.columns)
    for field in fields:
        column = declared.get(field.name)
        if column is None:
            reason = f"column {field.name} is not in the model; declare it, or leave it out of the frame"
            yield folded(field.name), reason
        elif not is_assignable(field.data_type, column.data_type):
            stored = describe_type(column.data_type)
            fact = f"column {field.name} is {describe_type(field.data_type)} in the frame and {stored} in the model"
            yield folded(field.name), f"{fact}; cast it to {stored}"
    for column in state.columns:
        if column.name not in given and column.value is None:
            yield folded(column.name), f"column {column.name} is not in the frame, and would be NULL; add it"

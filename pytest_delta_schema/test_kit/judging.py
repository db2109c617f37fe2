"""Judge checks by Spark, where a session is there: candidates for rows are collected, and judged by one query."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import StructType

from pytest_delta_schema.backends.row_values import TimeFault
from pytest_delta_schema.backends.spark.compat import frame_of_rows
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.sessions import TIME_ZONE, setting
from pytest_delta_schema.backends.spark.statements import session_clock
from pytest_delta_schema.delta.names import NameMap
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.models.spark_types import nullable_struct
from pytest_delta_schema.models.table import to_struct_type
from pytest_delta_schema.sql.quoting import condition
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.test_kit.values import moment_as_written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import CheckState
    from pytest_delta_schema.test_kit.contract import Contract, Row


_ANSI = "spark.sql.ansi.enabled"
_UTC = ("UTC", "Etc/UTC", "Z", "GMT")


class Judge:
    """Knows for which values the checks of a contract hold in a session, which is asked for once it is needed."""

    def __init__(self, session: Callable[[], SparkSession], model: Table, contract: Contract) -> None:
        self._session = session
        self._contract = contract
        self._fields = NameMap((field.name, field) for field in nullable_struct(to_struct_type(model)))
        self._known: dict[str, dict[str, bool]] = {}
        self._waiting: dict[CheckState, dict[str, Row]] = {}

    @cached_property
    def spark(self) -> SparkSession:
        """The session."""
        return self._session()

    @cached_property
    def is_in_utc(self) -> bool:
        """Whether the session is in UTC, as what is evaluated without it."""
        return self.spark.conf.get(TIME_ZONE) in _UTC

    def holds(self, check: CheckState, row: Row) -> bool:
        """Return whether a check is known to hold for a row; if that is not known, the row is judged later."""
        names = self._contract.sources(columns_in(check.expression))
        values = {name: row.get(name) for name in names}
        text = repr(values)
        known = self._known.setdefault(check.name, {})
        if text not in known and names:
            self._waiting.setdefault(check, {})[text] = values
        return known.get(text, False)

    @property
    def is_waiting(self) -> bool:
        """Whether there are rows that were not judged."""
        return bool(self._waiting)

    def judge(self) -> None:
        """Judge the rows that wait, by one query a check."""
        waiting, self._waiting = self._waiting, {}
        for check, rows in waiting.items():
            self._known[check.name].update(zip(rows, self._held(check, [*rows.values()]), strict=True))

    def readings(self, values: Iterable[Any]) -> list[Any]:
        """Return values, and the instants of those that are local times in the session, and the reverse."""
        read = [*values]
        if self.is_in_utc:
            return read
        for value in [*read]:
            moment = moment_as_written(value)
            if moment is not None:
                with suppress(TimeFault, OverflowError):
                    read.append(session_clock(self.spark).other_form(moment))
        return read

    def _held(self, check: CheckState, rows: Sequence[Row]) -> list[bool]:
        """Return for which rows a check holds: without errors of values first, which would be those of all rows."""
        with translate_errors(), setting(self.spark, _ANSI, "false"):
            held = self._answers(check, rows)
        kept = [row for row, is_held in zip(rows, held, strict=True) if is_held]
        answers = iter(self._without_errors(check, kept))
        return [is_held and next(answers) for is_held in held]

    def _without_errors(self, check: CheckState, rows: Sequence[Row]) -> list[bool]:
        """Return for which rows a check holds; a query that fails is split, so a row with an error holds for none."""
        if not rows:
            return []
        try:
            with translate_errors():
                return self._answers(check, rows)
        except StatementError:
            half = len(rows) // 2
            if not half:
                return [False]
            return [*self._without_errors(check, rows[:half]), *self._without_errors(check, rows[half:])]

    def _answers(self, check: CheckState, rows: Sequence[Row]) -> list[bool]:
        names = [*rows[0]]
        generated = self._contract.generated
        schema = StructType([self._fields[name] for name in names])
        frame = frame_of_rows(self.spark, [tuple(row[name] for name in names) for row in rows], schema)
        needed = [name for name in columns_in(check.expression) if name in generated]
        made = [f"{condition(generated[name])} AS {identifier(name)}" for name in needed]
        held = frame.selectExpr("*", *made).selectExpr(f"coalesce({condition(check.expression)}, false) AS held")
        return [row.held for row in held.collect()]

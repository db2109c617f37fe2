"""An exception before and after every statement of every scenario: what is left is named, and a second apply converges."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from faults.cases import Area, require
from faults.scenarios import (
    Line,
    going_through,
    planned_statements,
    require_one_story,
    require_rows,
    rows_after,
    scenario_named,
)
from pytest_delta_schema import MemoryCatalog, UnsafePlanError
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.testing.data_access import MEMORY
from pytest_delta_schema.testing.scenario_runner import create_initial_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from faults.bench import Bench
    from pytest_delta_schema.sql import Statement

BEFORE, AFTER = "before", "after"
KINDS: dict[str, Callable[[], BaseException]] = {
    "failure": lambda: StatementError("the disk is full\nsecond line", condition="DISK"),
    "interrupt": KeyboardInterrupt,
}


class Failing:
    """A catalog that fails once, before or after one statement."""

    def __init__(self, catalog: Any, at: int, when: str, error: Callable[[], BaseException]) -> None:
        self._catalog, self._at, self._when, self._error = catalog, at, when, error
        self._count = 0
        self.has_failed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def run(self, statement: Statement) -> None:
        """Run a statement, or fail."""
        is_hit, self._count = self._count == self._at, self._count + 1
        if not is_hit or self._when == AFTER:
            self._catalog.run(statement)
        if is_hit:
            self.has_failed = True
            raise self._error()


def _fail_once(line: Line, at: int, when: str, kind: str) -> None:
    """Apply with the fault, and check the error."""
    failing = Failing(line.catalog, at, when, KINDS[kind])
    try:
        Line(scenario=line.scenario, catalog=line.catalog, ddl=failing).apply()
    except KeyboardInterrupt:
        require(kind == "interrupt", "KeyboardInterrupt came from somewhere else")
    except UnsafePlanError as error:
        require_one_story(error)
        require(at == 0, f"data refused in the middle: {error}")
    except Exception as error:  # noqa: BLE001 - looked at
        require_one_story(error)
        require("second line" not in str(error).splitlines()[0], "the headline has more than one line")
    else:
        require(condition=False, reason="the fault is not reported")
    require(failing.has_failed, "the fault was not reached")


def _run(name: str, at: int, when: str, kind: str, _: Bench) -> None:
    scenario, catalog = scenario_named(name), MemoryCatalog()
    create_initial_tables(scenario, catalog, MEMORY)
    line, model = Line(scenario=scenario, catalog=catalog), scenario.after
    before = catalog.snapshot([model]).tables[model.name]
    rows = MEMORY.read_rows(catalog, before) if scenario.rows else []
    others = [other for other, _ in scenario.other_tables]
    held = catalog.snapshot(others).tables
    _fail_once(line, at, when, kind)
    line.require_converged()
    if rows:
        end = catalog.snapshot([model]).tables[model.name]
        expected = rows_after(scenario, rows, [column.name for column in end.columns])
        require_rows(MEMORY.read_rows(catalog, end), expected, "after the second apply")
    now = catalog.snapshot(others).tables
    changed = [other.table_name for other in others if now[other.name].columns != held[other.name].columns]
    require(not changed, f"the columns of {', '.join(changed)} have changed")


@cache
def _cases() -> dict[str, Callable[[Bench], None]]:
    return {
        f"{scenario.name}/{at}-{statement.kind.value.replace(' ', '-')}/{when}/{kind}": partial(
            _run, scenario.name, at, when, kind
        )
        for scenario in going_through()
        for at, statement in enumerate(planned_statements(scenario.name))
        for when in (BEFORE, AFTER)
        for kind in KINDS
    }


AREA = Area(name="boundaries", title="exception at every statement boundary, memory", cases=_cases, sample=60)

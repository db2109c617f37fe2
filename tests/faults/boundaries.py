"""An exception before and after every statement of every scenario: what is left is named, and a second apply converges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from faults.bench import require
from faults.cases import Area, Case
from faults.scenarios import (
    Line,
    going_through,
    on_local,
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
    from collections.abc import Callable, Sequence

    from faults.bench import Bench
    from pytest_delta_schema.sql import Statement

BEFORE, AFTER = "before", "after"
KINDS: dict[str, Callable[[], BaseException]] = {
    "failure": lambda: StatementError("the disk is full\nsecond line", condition="DISK"),
    "interrupt": KeyboardInterrupt,
}


class Failing:
    """A catalog that fails once, at one statement.

    Args:
        catalog: The one that it stands before.
        at: Which statement, counted from 0.
        when: Before or after the statement has run.
        error: Makes what is raised.
    """

    def __init__(self, catalog: Any, at: int, when: str, error: Callable[[], BaseException]) -> None:
        self._catalog, self._at, self._when, self._error = catalog, at, when, error
        self._count = 0
        self.has_failed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def run(self, statement: Statement) -> None:
        """Run a statement, or fail."""
        number, self._count = self._count, self._count + 1
        if number == self._at and self._when == BEFORE:
            self._fail()
        self._catalog.run(statement)
        if number == self._at:
            self._fail()

    def _fail(self) -> None:
        self.has_failed = True
        raise self._error()


def _cases(area: str, kinds: Sequence[str], whens: Sequence[str]) -> list[Case]:
    return [
        Case(
            area=area,
            name=f"{scenario.name}/{number}-{statement.kind.value.replace(' ', '-')}/{when}/{kind}",
            values={"scenario": scenario.name, "at": number, "when": when, "kind": kind},
        )
        for scenario in going_through()
        for number, statement in enumerate(planned_statements(scenario.name))
        for when in whens
        for kind in kinds
    ]


def _memory_cases(_: int) -> list[Case]:
    return _cases("boundaries-memory", list(KINDS), (BEFORE, AFTER))


def _local_cases(_: int) -> list[Case]:
    # After one statement is before the next one.
    return _cases("boundaries-local", ["failure"], [AFTER])


def _fail_once(line: Line, case: Case, **how: Any) -> None:
    """Apply with the fault, and check the error."""
    failing = Failing(line.catalog, case.values["at"], case.values["when"], KINDS[case.values["kind"]])
    try:
        Line(scenario=line.scenario, catalog=line.catalog, ddl=failing, **how).apply()
    except KeyboardInterrupt:
        require(case.values["kind"] == "interrupt", "KeyboardInterrupt came from somewhere else")
    except UnsafePlanError as error:
        require_one_story(error)
        require(case.values["at"] == 0, f"data refused in the middle: {error}")
    except Exception as error:  # noqa: BLE001 - looked at
        require_one_story(error)
        require("second line" not in str(error).splitlines()[0], "the headline has more than one line")
    else:
        require(False, "the fault is not reported")
    require(failing.has_failed, "the fault was not reached")


def _run_memory(case: Case, bench: Bench) -> None:
    del bench
    scenario, catalog = scenario_named(case.values["scenario"]), MemoryCatalog()
    create_initial_tables(scenario, catalog, MEMORY)
    line = Line(scenario=scenario, catalog=catalog)
    name = scenario.after.name
    before = catalog.snapshot([scenario.after]).tables[name]
    there = MEMORY.read_rows(catalog, before) if scenario.rows else []
    others = {other.name: catalog.snapshot([other]).tables[other.name] for other, _ in scenario.other_tables}

    _fail_once(line, case)
    line.require_converged()

    if there:
        end = catalog.snapshot([scenario.after]).tables[name]
        expected = rows_after(scenario, there, [column.name for column in end.columns])
        require_rows(MEMORY.read_rows(catalog, end), expected, "after the second apply")
    for other, state in others.items():
        now = catalog.snapshot([model for model, _ in scenario.other_tables if model.name == other]).tables[other]
        require(now.columns == state.columns, f"the columns of {other} have changed")


def _run_local(case: Case, bench: Bench) -> None:
    stage = on_local(bench, case.values["scenario"])
    line = Line(scenario=stage.scenario, catalog=bench.local)
    _fail_once(line, case)
    line.require_converged()
    stage.require_sound(bench)
    stage.close(bench)


MEMORY_AREA = Area(
    name="boundaries-memory",
    title="exception at every statement boundary, memory",
    cases=_memory_cases,
    run=_run_memory,
    sample=60,
)
LOCAL_AREA = Area(
    name="boundaries-local",
    title="exception at every statement boundary, local",
    cases=_local_cases,
    run=_run_local,
    needs_jvm=True,
    sample=4,
)

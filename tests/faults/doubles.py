"""The same models applied twice at once, by two threads or two processes: both end, and the catalog is as wanted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from faults.bench import require, require_clean
from faults.cases import Area, Case, NotTriedError
from faults.kill_targets import CONVERTED, REWRITTEN, KillTarget
from faults.kills import copy_scenario
from faults.scenarios import BYSTANDER, Line, digest, require_rows, rows_after, rows_in
from pytest_delta_schema import DeltaSchemaError
from pytest_delta_schema.backends.local.warehouse import schema_folder

if TYPE_CHECKING:
    from faults.bench import Bench
    from faults.kill_targets import ScenarioCopy

SCENARIOS = (
    "basics/worked_example_created",
    "basics/worked_example_aligned",
    "checks/created_with_checks",
    "layout/created_clustered",
    "evolution/every_change_at_once",
    "foreign_keys/foreign_key_added_to_an_empty_table",
    "primary_keys/key_changed_over_unique_rows",
    "not_null/made_nullable_over_rows",
    "tags/tags_set_changed_and_unset",
    REWRITTEN,
    CONVERTED,
)
BY_THREADS, BY_PROCESSES = "threads", "processes"


def _cases(_: int) -> list[Case]:
    copies = [(scenario, BY_THREADS) for scenario in SCENARIOS]
    copies += [(scenario, BY_PROCESSES) for scenario in (SCENARIOS[0], SCENARIOS[1], SCENARIOS[4], *SCENARIOS[-2:])]
    copies += [(scenario, BY_THREADS) for scenario in (SCENARIOS[0], SCENARIOS[2], *SCENARIOS[-2:])]
    return [
        Case(area="doubles", name=f"{number:02d}-{scenario}/{how}", values={"scenario": scenario, "how": how})
        for number, (scenario, how) in enumerate(copies)
    ]


def _run(case: Case, bench: Bench) -> None:
    scenario_copy, rows = copy_scenario(bench, case.values["scenario"])
    folder = schema_folder(bench.warehouse, "dev", scenario_copy.schema)
    before = digest(folder / BYSTANDER)
    if case.values["how"] == BY_THREADS:
        _by_threads(bench, scenario_copy)
    else:
        _by_processes(case, bench, scenario_copy)
    Line(scenario=scenario_copy.scenario, catalog=bench.local).require_converged()
    kept_rows, columns = rows_in(bench, scenario_copy.folder(bench.warehouse))
    require_rows(kept_rows, rows_after(scenario_copy.scenario, rows, columns), "after a third apply")
    require(digest(folder / BYSTANDER) == before, "the table of somebody else has changed")
    bench.clean(folder)


def _by_threads(bench: Bench, scenario_copy: ScenarioCopy) -> None:
    barrier, errors = threading.Barrier(2), []

    def apply() -> None:
        barrier.wait()
        try:
            scenario_copy.act(bench.local, bench.local)
        except Exception as error:  # noqa: BLE001 - looked at below
            errors.append(error)

    threads = [threading.Thread(target=apply) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        require(isinstance(error, DeltaSchemaError), f"raised {type(error).__name__}: {error}")
        require_clean(str(error), "the error")


def _by_processes(case: Case, bench: Bench, scenario_copy: ScenarioCopy) -> None:
    folder = bench.new_folder(case.name)
    go = folder / "go"
    with (
        KillTarget(bench.new_folder(case.name), bench.warehouse, scenario_copy, "none", wait=go) as one,
        KillTarget(bench.new_folder(case.name), bench.warehouse, scenario_copy, "none", wait=go) as two,
    ):
        one.started()
        two.started()
        go.touch()
        for process in (one, two):
            message = process.wait_for("done", "refused", "broken")
            if message is None:
                msg = f"a process has not ended: {process.tail()}"
                raise NotTriedError(msg)
            require(message["event"] != "broken", f"one of the two broke: {message}")
            require_clean(message.get("text", ""), "the error")


AREA = Area(
    name="doubles",
    title="the same models applied twice at once",
    cases=_cases,
    run=_run,
    needs_jvm=True,
    sample=1,
)

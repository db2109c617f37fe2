"""The same models applied twice at once, by two threads or two processes: both end, and the catalog is as wanted."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from faults.cases import Area, NotTriedError, require, require_clean
from faults.kills import KillTarget
from faults.scenarios import CONVERTED, REWRITTEN, Line, Stage, require_one_story

if TYPE_CHECKING:
    from collections.abc import Callable

    from faults.bench import Bench

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


def _run(name: str, apply_twice: Callable[[Bench, Stage], None], bench: Bench) -> None:
    stage = Stage(bench, name)
    apply_twice(bench, stage)
    Line(scenario=stage.scenario, catalog=bench.local).require_converged()
    stage.require_sound(bench, "after a third apply")
    bench.clean(stage.folder)


def _by_threads(bench: Bench, stage: Stage) -> None:
    barrier, errors = threading.Barrier(2), []

    def apply() -> None:
        barrier.wait()
        try:
            Line(scenario=stage.scenario, catalog=bench.local).apply()
        except Exception as error:  # noqa: BLE001 - looked at below
            errors.append(error)

    threads = [threading.Thread(target=apply) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        require_one_story(error)


def _by_processes(bench: Bench, stage: Stage) -> None:
    go = bench.new_folder("doubles") / "go"
    with KillTarget(bench, stage, wait=go) as one, KillTarget(bench, stage, wait=go) as two:
        one.started()
        two.started()
        go.touch()
        for process in (one, two):
            message = process.wait_for("done", "refused", "broken")
            if message is None:
                raise NotTriedError(f"a process has not ended: {process.tail()}")
            require(message["event"] != "broken", f"one of the two broke: {message}")
            require_clean(message.get("text", ""), "the error")


def _cases() -> dict[str, Callable[[Bench], None]]:
    first, second, third, *_, fifth, rewritten, converted = (*SCENARIOS[:3], *SCENARIOS[4:5], REWRITTEN, CONVERTED)
    by_processes = (first, second, fifth, rewritten, converted)
    copies = [(name, "threads", _by_threads) for name in (*SCENARIOS, first, third, rewritten, converted)]
    copies[len(SCENARIOS) : len(SCENARIOS)] = [(name, "processes", _by_processes) for name in by_processes]
    return {f"{number:02d}-{name}/{how}": partial(_run, name, run) for number, (name, how, run) in enumerate(copies)}


AREA = Area(name="doubles", title="the same models applied twice at once", cases=_cases, needs_jvm=True, sample=1)

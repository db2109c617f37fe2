"""Real kills, by signal 9, of the process, its JVM or both, within every kind of statement."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from faults.bench import require, require_clean
from faults.cases import Area, BrokenInvariantError, Case, NotTriedError
from faults.kill_targets import (
    CONVERTED,
    PATIENCE,
    RESTORED,
    KillTarget,
    ScenarioCopy,
    fill,
    parquet_for,
    scenario_of,
    scenarios_with,
)
from faults.scenarios import (
    BYSTANDER,
    COMMIT,
    Line,
    age,
    copy_tables,
    digest,
    only,
    require_one_line,
    require_rows,
    rows_after,
    rows_in,
    template,
)
from pytest_delta_schema.backends.local.warehouse import schema_folder
from pytest_delta_schema.sql import StatementKind

if TYPE_CHECKING:
    from pathlib import Path

    from faults.bench import Bench

WHOM = ("both", "process", "jvm")
KILLS = {StatementKind.REWRITE_LAYOUT: 30, StatementKind.CONVERT_TABLE: 20}
OTHERS = 6
FIRST_GUESS = 1.0
TRIES = 6
ORPHAN_SECONDS = 120.0
"""How long a JVM may go on without its process: as long as its statement takes."""


def _cases(_: int) -> list[Case]:
    cases = []
    for kind in StatementKind:
        scenarios, number = scenarios_with(kind), KILLS.get(kind, OTHERS)
        cases += [
            Case(
                area="kills",
                name=f"{kind.value.replace(' ', '-')}/{index:02d}-{WHOM[index % 3]}",
                values={
                    "kind": kind.value,
                    "scenario": scenarios[index // 3 % len(scenarios)],
                    "whom": WHOM[index % 3],
                    "fraction": (index // 3 + 0.5) / -(-number // 3),
                    "width": 1 / -(-number // 3),
                },
            )
            for index in range(number)
        ]
    return cases


def copy_scenario(bench: Bench, name: str) -> tuple[ScenarioCopy, list[dict[str, Any]]]:
    """Copy the tables of a scenario to a separate schema, next to a table that must not change."""
    schema, scenario = bench.schema("k"), scenario_of(name)
    if name == CONVERTED:
        source, rows = parquet_for(bench)
        kept, _ = template(bench, "conversion", scenario_of(RESTORED), fill)
        copy_tables(kept, schema_folder(bench.warehouse, "dev", schema), schema, leave_out=scenario.after.table_name)
        return ScenarioCopy(name=name, schema=schema, source=str(source)), rows
    kept, rows = template(bench, name, scenario, fill)
    copy_tables(kept, schema_folder(bench.warehouse, "dev", schema), schema)
    return ScenarioCopy(name=name, schema=schema), rows


def _run(case: Case, bench: Bench) -> None:
    _prepare(bench)
    fraction = case.values["fraction"] + case.values["width"] * (case.random(bench.seed).random() - 0.5)
    for number in range(TRIES):
        scenario_copy, rows = copy_scenario(bench, case.values["scenario"])
        bystander = schema_folder(bench.warehouse, "dev", scenario_copy.schema) / BYSTANDER
        before = digest(bystander)
        factor = fraction * 0.6**number if number < TRIES - 1 else 0
        folder = bench.new_folder(case.name)
        if _is_hit(case, bench, scenario_copy, folder, factor):
            break
        bench.clean(bystander.parent, folder)
    else:
        msg = "the statement has ended before every kill"
        raise NotTriedError(msg)
    _check(bench, scenario_copy, rows)
    require(digest(bystander) == before, "the table of somebody else has changed")
    bench.clean(bystander.parent, folder)


def _prepare(bench: Bench) -> None:
    """Let one target end well, so the class archive is there from which later ones start fast."""
    with bench.lock:
        if "archive" not in bench.shared:
            scenario_copy, _ = copy_scenario(bench, "basics/worked_example_created")
            with KillTarget(bench.new_folder("archive"), bench.warehouse, scenario_copy, "none") as target:
                target.started()
                ended = target.wait_for("done", "broken", "refused")
                if ended is None or ended["event"] != "done":
                    raise NotTriedError(target.tail())
                target.require_gone(PATIENCE)
            bench.shared["archive"] = True


def _is_hit(case: Case, bench: Bench, scenario_copy: ScenarioCopy, folder: Path, factor: float) -> bool:
    """Start a target and kill it within the statement; return whether it was in it."""
    kind, whom = case.values["kind"], case.values["whom"]
    durations = bench.shared.setdefault("durations", {}).setdefault(kind, [])
    with KillTarget(folder, bench.warehouse, scenario_copy, kind) as target:
        target.started()
        if target.wait_for("begin", "broken", "refused") != {"event": "begin"}:
            msg = f"the statement has not begun: {target.events[-1:]} {target.tail()}"
            raise NotTriedError(msg)
        delay = factor * (statistics.median(durations[-5:]) if durations else FIRST_GUESS)
        ended = target.wait_for("end", seconds=delay) if delay else None
        if ended is None:
            target.kill(whom)
            target.require_gone(ORPHAN_SECONDS if whom == "process" else PATIENCE)
            ended = next((event for event in target.events if event["event"] == "end"), None)
        if ended is not None:
            durations.append(ended["seconds"])
            return False
        if whom == "jvm":
            _require_told(target)
        require_clean(target.output.read_text("utf-8", "replace").replace(_PY4J, ""), "the output of the target")
    return True


_PY4J = "Traceback (most recent call last)"
"""Written by py4j to its own log when its JVM has ended; errors of this package are events."""


def _require_told(target: KillTarget) -> None:
    message = target.wait_for("broken", "refused", "done", seconds=0)
    if message is None:
        raise BrokenInvariantError("the process reported nothing when its JVM was gone")
    require(message["event"] == "refused", f"the process said, when its JVM was gone: {message}")
    require_one_line(message["text"])


def _check(bench: Bench, scenario_copy: ScenarioCopy, rows: list[dict[str, Any]]) -> None:
    """Require that nothing is lost right after the kill, and that a second apply converges."""
    scenario, folder = scenario_copy.scenario, scenario_copy.folder(bench.warehouse)
    age(folder)
    kind = "delta" if any(COMMIT.fullmatch(path.name) for path in folder.glob("_delta_log/*")) else "parquet"
    if scenario.before is not None or scenario_copy.source:
        kept_rows, columns = rows_in(bench, folder, kind)
        # Of a struct whose fields come, go and are renamed, the second apply shows whether all is there.
        flat = {name.lower() for row in rows for name, value in row.items() if not isinstance(value, (dict, list))}
        shared = {name.lower() for name in columns} & flat
        if scenario_copy.name != RESTORED:
            require_rows(only(kept_rows, shared), only(rows, shared), "right after the kill")
    line = Line(scenario=scenario, catalog=bench.local)
    line.planned()
    line.require_converged()
    kept_rows, columns = rows_in(bench, folder)
    if scenario_copy.name == RESTORED:
        require(len(kept_rows) in (len(rows), len(rows) // 2), f"{len(kept_rows)} rows of {len(rows)}")
        require_rows(kept_rows, [row for row in rows if row["id"] < len(kept_rows)], "after the restore")
    else:
        require_rows(kept_rows, rows_after(scenario, rows, columns), "after the second apply")


AREA = Area(
    name="kills",
    title="kill -9 within every kind of statement",
    cases=_cases,
    run=_run,
    needs_jvm=True,
    sample=2,
)

"""Real kills, by signal 9, of the process, its JVM or both, within every kind of statement."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from faults.bench import require, require_clean
from faults.cases import Area, BrokenInvariantError, Case, NotTriedError
from faults.plays import CONVERTED, RESTORED, Play, fill, parquet_for, scenario_of, scenes_with
from faults.scenes import Line, only, require_one_line, require_rows, rows_after
from faults.stages import BYSTANDER, COMMIT, age, copy_tables, digest, rows_in, template
from faults.victims import PATIENCE, Victim
from pytest_delta_schema.backends.local.warehouse.physical_names import schema_folder
from pytest_delta_schema.sql.statement import StatementKind

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
        scenes, number = scenes_with(kind), KILLS.get(kind, OTHERS)
        cases += [
            Case(
                area="kills",
                name=f"{kind.value.replace(' ', '-')}/{index:02d}-{WHOM[index % 3]}",
                values={
                    "kind": kind.value,
                    "scene": scenes[index // 3 % len(scenes)],
                    "whom": WHOM[index % 3],
                    "fraction": (index // 3 + 0.5) / -(-number // 3),
                    "width": 1 / -(-number // 3),
                },
            )
            for index in range(number)
        ]
    return cases


def set_play(bench: Bench, name: str) -> tuple[Play, list[dict[str, Any]]]:
    """Copy the tables of a scene to a schema of their own, beside a table that must not change."""
    schema, scenario = bench.schema("k"), scenario_of(name)
    if name == CONVERTED:
        source, rows = parquet_for(bench)
        kept, _ = template(bench, "conversion", scenario_of(RESTORED), fill)
        copy_tables(kept, schema_folder(bench.warehouse, "dev", schema), schema, leave_out=scenario.after.table_name)
        return Play(name=name, schema=schema, source=str(source)), rows
    kept, rows = template(bench, name, scenario, fill)
    copy_tables(kept, schema_folder(bench.warehouse, "dev", schema), schema)
    return Play(name=name, schema=schema), rows


def _run(case: Case, bench: Bench) -> None:
    _prepare(bench)
    fraction = case.values["fraction"] + case.values["width"] * (case.random(bench.seed).random() - 0.5)
    for number in range(TRIES):
        play, rows = set_play(bench, case.values["scene"])
        bystander = schema_folder(bench.warehouse, "dev", play.schema) / BYSTANDER
        before = digest(bystander)
        factor = fraction * 0.6**number if number < TRIES - 1 else 0
        folder = bench.new_folder(case.name)
        if _is_hit(case, bench, play, folder, factor):
            break
        bench.clean(bystander.parent, folder)
    else:
        msg = "the statement has ended before every kill"
        raise NotTriedError(msg)
    _check(bench, play, rows)
    require(digest(bystander) == before, "the table of somebody else has changed")
    bench.clean(bystander.parent, folder)


def _prepare(bench: Bench) -> None:
    """Let one victim end well, so the class archive is there from which later ones start fast."""
    with bench.lock:
        if "archive" not in bench.shared:
            play, _ = set_play(bench, "basics/worked_example_created")
            with Victim(bench.new_folder("archive"), bench.warehouse, play, "none") as victim:
                victim.started()
                ended = victim.wait_for("done", "broken", "refused")
                if ended is None or ended["event"] != "done":
                    raise NotTriedError(victim.tail())
                victim.require_gone(PATIENCE)
            bench.shared["archive"] = True


def _is_hit(case: Case, bench: Bench, play: Play, folder: Path, factor: float) -> bool:
    """Start a victim and kill it within the statement; return whether it was in it."""
    kind, whom = case.values["kind"], case.values["whom"]
    durations = bench.shared.setdefault("durations", {}).setdefault(kind, [])
    with Victim(folder, bench.warehouse, play, kind) as victim:
        victim.started()
        if victim.wait_for("begin", "broken", "refused") != {"event": "begin"}:
            msg = f"the statement has not begun: {victim.events[-1:]} {victim.tail()}"
            raise NotTriedError(msg)
        delay = factor * (statistics.median(durations[-5:]) if durations else FIRST_GUESS)
        ended = victim.wait_for("end", seconds=delay) if delay else None
        if ended is None:
            victim.kill(whom)
            victim.require_gone(ORPHAN_SECONDS if whom == "process" else PATIENCE)
            ended = next((event for event in victim.events if event["event"] == "end"), None)
        if ended is not None:
            durations.append(ended["seconds"])
            return False
        if whom == "jvm":
            _require_told(victim)
        require_clean(victim.output.read_text("utf-8", "replace").replace(_PY4J, ""), "the output of the victim")
    return True


_PY4J = "Traceback (most recent call last)"
"""Written by py4j to its own log when its JVM has ended; errors of this package are events."""


def _require_told(victim: Victim) -> None:
    message = victim.wait_for("broken", "refused", "done", seconds=0)
    if message is None:
        raise BrokenInvariantError("the process reported nothing when its JVM was gone")
    require(message["event"] == "refused", f"the process said, when its JVM was gone: {message}")
    require_one_line(message["text"])


def _check(bench: Bench, play: Play, rows: list[dict[str, Any]]) -> None:
    """Require that nothing is lost right after the kill, and that a second apply converges."""
    scenario, folder = play.scenario, play.folder(bench.warehouse)
    age(folder)
    kind = "delta" if any(COMMIT.fullmatch(path.name) for path in folder.glob("_delta_log/*")) else "parquet"
    if scenario.before is not None or play.source:
        kept_rows, columns = rows_in(bench, folder, kind)
        # Of a struct whose fields come, go and are renamed, the second apply shows whether all is there.
        flat = {name.lower() for row in rows for name, value in row.items() if not isinstance(value, (dict, list))}
        shared = {name.lower() for name in columns} & flat
        if play.name != RESTORED:
            require_rows(only(kept_rows, shared), only(rows, shared), "right after the kill")
    line = Line(scenario=scenario, catalog=bench.local)
    line.planned()
    line.require_converged()
    kept_rows, columns = rows_in(bench, folder)
    if play.name == RESTORED:
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

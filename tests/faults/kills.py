"""Real kills, by signal 9, of the process, its JVM or both, within every kind of statement."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import traceback
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.cases import Area, BrokenInvariantError, NotTriedError, require, require_clean
from faults.scenarios import (
    COMMIT,
    CONVERTED,
    RESTORED,
    REWRITTEN,
    Line,
    Stage,
    age,
    going_through,
    moved,
    only,
    planned_statements,
    require_rows,
    rows_in,
)
from pytest_delta_schema import DeltaSchemaError, LocalCatalog
from pytest_delta_schema.backends.local.start import start_session
from pytest_delta_schema.sql import StatementKind
from support.plan_files import applied, plan_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from typing_extensions import Self

    from faults.bench import Bench
    from pytest_delta_schema.sql import Statement

PATIENCE = 240.0
"""Seconds for a JVM to start and for a statement to run, on a machine that is busy."""

ORPHAN_SECONDS = 120.0
"""How long a JVM may go on without its process: as long as its statement takes."""

WHOM = ("both", "process", "jvm")
KILLS = {StatementKind.REWRITE_LAYOUT: 30, StatementKind.CONVERT_TABLE: 20}
OTHERS = 6
TRIES = 6


class KillTarget:
    """A process with its own JVM that runs a scenario; gone, with its JVM, when the block ends.

    It tells when a kind of statement begins and ends.
    """

    def __init__(self, bench: Bench, stage: Stage, kind: str = "none") -> None:
        self.output = bench.new_folder("target") / "output.txt"
        self.events: list[dict[str, Any]] = []
        self.jvm = 0
        self._connection, other_end = multiprocessing.Pipe(duplex=False)
        scenario = (stage.scenario.name, stage.schema, stage.source)
        arguments = (other_end, self.output, bench.warehouse, scenario, kind)
        self.process = multiprocessing.get_context("spawn").Process(target=_act, args=arguments, daemon=True)
        self.process.start()
        other_end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill("both")
        self.process.kill()
        self.process.join()
        self._connection.close()

    def wait_for(self, *events: str, seconds: float = PATIENCE) -> dict[str, Any] | None:
        """Return the first of some events; ``None`` if it does not come in time, or never can."""
        until = time.monotonic() + seconds
        with suppress(EOFError, OSError):
            while True:
                known = next((event for event in self.events if event["event"] in events), None)
                if known is not None or not self._connection.poll(max(0, until - time.monotonic())):
                    return known
                self.events.append(self._connection.recv())
        return None

    def started(self) -> None:
        """Wait until the JVM is there; a target that does not start is not tried."""
        ready = self.wait_for("ready", "broken")
        if ready is None or ready["event"] != "ready":
            raise NotTriedError(f"the target has not started: {self.tail()}")
        self.jvm = ready["jvm"]

    def kill(self, whom: str) -> None:
        """Kill ``both``, the ``process`` or the ``jvm``, by signal 9."""
        process = self.process.pid or 0
        with suppress(ProcessLookupError):
            if whom == "both":
                os.killpg(process, signal.SIGKILL)
            else:
                os.kill(process if whom == "process" else self.jvm, signal.SIGKILL)

    def require_gone(self, seconds: float) -> None:
        """Wait for process and JVM to end, and read what they told."""
        until = time.monotonic() + seconds
        while _is_alive(self.jvm) or self.process.is_alive():
            self.wait_for("never", seconds=0)
            if time.monotonic() > until:
                who = "the process" if self.process.is_alive() else "the JVM"
                raise BrokenInvariantError(f"{who} is still there after {seconds:.0f} s: {self.tail()}")
            time.sleep(0.05)
        self.wait_for("never", seconds=1)

    def tail(self) -> str:
        """Return the last lines that it wrote."""
        return self.output.read_text("utf-8", "replace")[-1500:] if self.output.exists() else ""


class _Signalling:
    """A catalog that tells when statements of one kind begin and end."""

    def __init__(self, catalog: Any, kind: str, connection: Connection) -> None:
        self._catalog, self._kind, self._connection = catalog, kind, connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def run(self, statement: Statement) -> None:
        if statement.kind.value != self._kind:
            self._catalog.run(statement)
            return
        self._connection.send({"event": "begin"})
        started = time.monotonic()
        self._catalog.run(statement)
        self._connection.send({"event": "end", "seconds": time.monotonic() - started})


def _act(connection: Connection, output: Path, warehouse: Path, scenario: tuple[str, str, str], kind: str) -> None:
    """Run a scenario in a new process, which leads the group of its JVM."""
    os.setsid()
    for descriptor in (1, 2):
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND), descriptor)
    session = start_session(warehouse)
    gateway: Any = session.spark.sparkContext._gateway
    connection.send({"event": "ready", "jvm": gateway.proc.pid})
    catalog = LocalCatalog(session.spark, warehouse=warehouse)
    try:
        Line(scenario=moved(*scenario), catalog=catalog, ddl=_Signalling(catalog, kind, connection)).apply()
    except DeltaSchemaError as error:
        connection.send({"event": "refused", "error": type(error).__name__, "text": str(error)[:3000]})
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)[-8:]
        where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
        text = f"{error} (raised at {where})"
        connection.send({"event": "broken", "error": type(error).__name__, "text": text})
        raise
    else:
        connection.send({"event": "done"})
    session.close()


def _is_alive(pid: int) -> bool:
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z"
    return False


def _scenarios_with(kind: StatementKind) -> list[str]:
    """Return the names of all scenarios in which a kind of statement runs."""
    if kind is StatementKind.RESTORE_TABLE:
        return [RESTORED]
    if kind is StatementKind.CONVERT_TABLE:
        return [CONVERTED]
    own = {StatementKind.REWRITE_LAYOUT: [REWRITTEN], StatementKind.REGISTER_TABLE: [CONVERTED]}
    names = [scenario.name for scenario in going_through()]
    return [
        *own.get(kind, []),
        *(name for name in names if any(statement.kind is kind for statement in planned_statements(name))),
    ]


def _run(kind: str, scenario: str, index: int, whom: str, bench: Bench) -> None:
    bench.once("archive", lambda: _let_one_end(bench))
    case = f"kills/{kind.replace(' ', '-')}/{index:02d}-{whom}"
    moment = bench.moment(case, index // 3, -(-KILLS.get(StatementKind(kind), OTHERS) // 3))
    for number in range(TRIES):
        stage = Stage(bench, scenario)
        factor = moment * 0.6**number if number < TRIES - 1 else 0
        if _is_hit(kind, whom, factor, stage, bench):
            break
        bench.clean(stage.folder)
    else:
        raise NotTriedError("the statement has ended before every kill")
    _require_sound(bench, stage)
    bench.clean(stage.folder)


def _let_one_end(bench: Bench) -> None:
    """Let one target end well, so the class archive is there from which later ones start fast."""
    with KillTarget(bench, Stage(bench, "basics/worked_example_created")) as target:
        target.started()
        ended = target.wait_for("done", "broken", "refused")
        if ended is None or ended["event"] != "done":
            raise NotTriedError(target.tail())
        target.require_gone(PATIENCE)


def _is_hit(kind: str, whom: str, factor: float, stage: Stage, bench: Bench) -> bool:
    """Start a target and kill it within the statement; return whether it was in it."""
    with KillTarget(bench, stage, kind) as target:
        target.started()
        if target.wait_for("begin", "broken", "refused") != {"event": "begin"}:
            raise NotTriedError(f"the statement has not begun: {target.events[-1:]} {target.tail()}")
        delay = factor * bench.expected(kind)
        ended = target.wait_for("end", seconds=delay) if delay else None
        if ended is None:
            target.kill(whom)
            target.require_gone(ORPHAN_SECONDS if whom == "process" else PATIENCE)
            ended = next((event for event in target.events if event["event"] == "end"), None)
        if ended is not None:
            bench.durations(kind).append(ended["seconds"])
            return False
        if whom == "jvm":
            _require_told(target)
        # py4j writes tracebacks to its own log when its JVM has ended; errors of this package are events.
        output = target.output.read_text("utf-8", "replace").replace("Traceback (most recent call last)", "")
        require_clean(output, "the output of the target")
    return True


def _require_told(target: KillTarget) -> None:
    """Require that a process whose JVM is gone told it in one line with a reason."""
    message = target.wait_for("broken", "refused", "done", seconds=0)
    if message is None or message["event"] != "refused":
        raise BrokenInvariantError(f"the process said, when its JVM was gone: {message}")
    require_clean(message["text"], "the error")
    headline = message["text"].splitlines()[0]
    require(";" in headline or ":" in headline, f"the headline names no reason: {headline}")
    require("py4j" not in headline.lower(), f"the headline speaks of py4j: {headline}")


def _require_sound(bench: Bench, stage: Stage) -> None:
    """Require that nothing is lost right after the kill, and that a new plan as a file, and then an apply, converge."""
    scenario, rows = stage.scenario, stage.rows
    age(stage.table)
    kind = "delta" if any(COMMIT.fullmatch(path.name) for path in stage.table.glob("_delta_log/*")) else "parquet"
    if (scenario.before is not None or stage.source) and scenario.name != RESTORED:
        kept_rows, columns = rows_in(bench, stage.table, kind)
        # Of a struct whose fields come, go and are renamed, the second apply shows whether all is there.
        flat = {name.lower() for row in rows for name, value in row.items() if not isinstance(value, (dict, list))}
        shared = {name.lower() for name in columns} & flat
        require_rows(only(kept_rows, shared), only(rows, shared), "right after the kill")
    if not stage.source and scenario.name != RESTORED:
        outcomes = applied(scenario, bench.local, plan_of(scenario, bench.local, bench.new_folder("plan")))
        failed = [str(outcome.diagnostics) for outcome in outcomes if not outcome.status.passes]
        require(not failed, f"a new plan was not applied: {failed}")
    Line(scenario=scenario, catalog=bench.local).require_converged()
    if scenario.name != RESTORED:
        stage.require_sound(bench, "after the second apply")
        return
    kept_rows, _ = rows_in(bench, stage.table)
    require(len(kept_rows) in (len(rows), len(rows) // 2), f"{len(kept_rows)} rows of {len(rows)}")
    require_rows(kept_rows, [row for row in rows if row["id"] < len(kept_rows)], "after the restore")
    stage.require_alone()


@cache
def _cases() -> dict[str, Callable[[Bench], None]]:
    cases: dict[str, Callable[[Bench], None]] = {}
    for kind in StatementKind:
        scenarios = _scenarios_with(kind)
        for index in range(KILLS.get(kind, OTHERS)):
            whom, scenario = WHOM[index % 3], scenarios[index // 3 % len(scenarios)]
            name = f"{kind.value.replace(' ', '-')}/{index:02d}-{whom}"
            cases[name] = partial(_run, kind.value, scenario, index, whom)
    return cases


AREA = Area(name="kills", title="kill -9 within every kind of statement", cases=_cases, needs_jvm=True, sample=2)

"""A writer races with tightening, rewriting and restoring: what was written is kept, and no row breaks a constraint."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StringType

from faults.boundaries import BEFORE, Failing
from faults.cases import Area, require
from faults.scenarios import OWN, Line, Stage, only, own_scenario, require_one_story, require_rows, rows_in
from pytest_delta_schema import Column, DeltaSchemaError
from pytest_delta_schema.diagnostics.errors import StatementError

if TYPE_CHECKING:
    from collections.abc import Callable

    from faults.bench import Bench

COLUMNS = [Column("id", LongType()), Column("p", StringType())]
STRICT = [Column("id", LongType(), is_nullable=False), Column("p", StringType())]
ROWS = tuple({"id": number, "p": f"p{number % 3}"} for number in range(12))
WRITTEN = {"id": None, "p": "written"}
ROUNDS = {"tighten": 17, "rewrite": 17, "restore": 16}
AFTER: dict[str, dict[str, Any]] = {
    "tighten": {"after": STRICT},
    "rewrite": {"after": COLUMNS, "partitioned_by": ["p"]},
    "restore": {"after": [*COLUMNS, Column("more", LongType())], "comment": "changed after the column"},
}
OWN |= {f"own/{kind}": own_scenario(f"own/{kind}", COLUMNS, rows=ROWS, **options) for kind, options in AFTER.items()}


class Runner(threading.Thread):
    """Does one thing after a while, and notes how it ended and how long it took."""

    def __init__(self, does: Callable[[], object], barrier: threading.Barrier, delay: float) -> None:
        super().__init__()
        self._does, self._barrier, self._delay = does, barrier, delay
        self.error: Exception | None = None
        self.seconds = 0.0

    def run(self) -> None:
        """Wait for the other one, and do it."""
        self._barrier.wait()
        time.sleep(self._delay)
        started = time.monotonic()
        try:
            self._does()
        except Exception as error:  # noqa: BLE001 - looked at by the case
            self.error = error
        self.seconds = time.monotonic() - started


def _run(kind: str, number: int, bench: Bench) -> None:
    stage = Stage(bench, f"own/{kind}")
    line = racer = Line(scenario=stage.scenario, catalog=bench.local)
    if kind == "restore":
        failing = Failing(bench.local, 1, BEFORE, lambda: StatementError("told to fail"))
        racer = Line(scenario=line.scenario, catalog=bench.local, ddl=failing, restores=True)
    name = line.scenario.after.name

    moment = bench.moment(f"races/{kind}/{number:02d}", number, ROUNDS[kind])
    writer, changer = _race(kind, moment, bench, lambda: bench.local.insert(name, [WRITTEN]), racer.apply)

    for process in (writer, changer):
        if process.error is not None:
            require_one_story(process.error)
    wrote = writer.error is None
    expected: list[dict[str, Any]] = [*ROWS, *([WRITTEN] if wrote else [])]
    when = f"right after the race, which the writer {'won' if wrote else 'lost'}"
    require_rows(only(rows_in(bench, stage.table)[0], ["id", "p"]), expected, when)
    state = bench.local.snapshot([line.scenario.after]).tables[name]
    is_tight = not next(column for column in state.columns if column.name == "id").is_nullable
    require(not (is_tight and wrote), "a NULL is in a column that is NOT NULL")
    if kind == "tighten" and wrote:
        # It never converges over this row: data refuses it, with nothing changed.
        require(_is_refused(line), "a NULL was tightened over")
    else:
        line.require_converged()
    require_rows(only(rows_in(bench, stage.table)[0], ["id", "p"]), expected, "after a second apply")
    stage.require_alone()
    bench.clean(stage.folder)


def _race(
    kind: str, moment: float, bench: Bench, write: Callable[[], object], change: Callable[[], object]
) -> tuple[Runner, Runner]:
    """Start both; who begins, and by how much, is swept over the time that both take."""
    writes, changes = f"write/{kind}", f"change/{kind}"
    offset = moment * (bench.expected(changes) + bench.expected(writes)) - bench.expected(writes)
    barrier = threading.Barrier(2)
    writer, changer = Runner(write, barrier, max(0, offset)), Runner(change, barrier, max(0, -offset))
    for runner in (writer, changer):
        runner.start()
    for runner in (writer, changer):
        runner.join()
    bench.durations(writes).append(writer.seconds)
    bench.durations(changes).append(changer.seconds)
    return writer, changer


def _is_refused(line: Line) -> bool:
    try:
        line.apply()
    except DeltaSchemaError:
        return True
    return False


def _cases() -> dict[str, Callable[[Bench], None]]:
    return {
        f"{kind}/{number:02d}": partial(_run, kind, number)
        for kind, rounds in ROUNDS.items()
        for number in range(rounds)
    }


AREA = Area(
    name="races", title="a writer against tightening, rewriting, restoring", cases=_cases, needs_jvm=True, sample=3
)

"""A writer races with tightening, rewriting and restoring: what was written is kept, and no row breaks a constraint."""

from __future__ import annotations

import statistics
import threading
import time
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StringType

from faults.bench import require, require_clean
from faults.boundaries import BEFORE, Failing
from faults.cases import Area, Case
from faults.scenarios import BYSTANDER, Line, copy_tables, digest, moved, only, require_rows, rows_in, template
from pytest_delta_schema import Column, DeltaSchemaError, Table
from pytest_delta_schema.backends.local.warehouse import schema_folder, table_folder
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.testing.scenario import Scenario

if TYPE_CHECKING:
    from faults.bench import Bench

COLUMNS = [Column("id", LongType()), Column("p", StringType())]
STRICT = [Column("id", LongType(), is_nullable=False), Column("p", StringType())]
ROWS = tuple({"id": number, "p": f"p{number % 3}"} for number in range(12))
WRITTEN = {"id": None, "p": "written"}
ROUNDS = {"tighten": 17, "rewrite": 17, "restore": 16}
FIRST_GUESS = {"statement": 1.0, "writer": 1.0}


def _table(columns: list[Column], **options: Any) -> Table:
    return Table("dev", "silver", "orders", columns, **options)


def _scenario(kind: str) -> Scenario:
    after = {
        "tighten": _table(STRICT),
        "rewrite": _table(COLUMNS, partitioned_by=["p"]),
        "restore": _table([*COLUMNS, Column("more", LongType())], comment="changed after the column"),
    }[kind]
    consents = ("rewrite dev.silver.orders",)
    return Scenario(name=f"own/{kind}", before=_table(COLUMNS), after=after, rows=ROWS, consents=consents)


def _cases(_: int) -> list[Case]:
    return [
        Case(
            area="races",
            name=f"{kind}/{number:02d}",
            values={"kind": kind, "fraction": (number + 0.5) / rounds, "width": 1 / rounds},
        )
        for kind, rounds in ROUNDS.items()
        for number in range(rounds)
    ]


class Runner(threading.Thread):
    """Does one thing after a while, and notes how it ended and how long it took."""

    def __init__(self, does: Any, barrier: threading.Barrier, delay: float) -> None:
        super().__init__()
        self._does, self._barrier, self._delay = does, barrier, delay
        self.error: Exception | None = None
        self.seconds = 0.0

    def run(self) -> None:
        self._barrier.wait()
        time.sleep(self._delay)
        started = time.monotonic()
        try:
            self._does()
        except Exception as error:  # noqa: BLE001 - looked at by the case
            self.error = error
        self.seconds = time.monotonic() - started


def _run(case: Case, bench: Bench) -> None:
    kind, scenario = case.values["kind"], _scenario(case.values["kind"])
    kept, _ = template(bench, "own/raced", scenario)
    schema = bench.schema("r")
    folder = schema_folder(bench.warehouse, "dev", schema)
    copy_tables(kept, folder, schema)
    before = digest(folder / BYSTANDER)
    line = Line(scenario=moved(scenario, schema), catalog=bench.local)
    racer = line
    if kind == "restore":
        failing = Failing(bench.local, 1, BEFORE, lambda: StatementError("told to fail"))
        racer = Line(scenario=line.scenario, catalog=bench.local, ddl=failing, restores=True)
    name = line.scenario.after.name

    writer, changer = _race(case, bench, lambda: bench.local.insert(name, [WRITTEN]), racer.apply)

    for process in (writer, changer):
        require(process.error is None or isinstance(process.error, DeltaSchemaError), f"raised {process.error!r}")
        require_clean(str(process.error), "the error")
    wrote = writer.error is None
    expected: list[dict[str, Any]] = [*ROWS, *([WRITTEN] if wrote else [])]
    rows, _ = rows_in(bench, table_folder(bench.warehouse, name))
    require_rows(
        only(rows, ["id", "p"]),
        expected,
        f"right after the race, which the writer {'won' if wrote else 'lost'}",
    )
    state = bench.local.snapshot([line.scenario.after]).tables[name]
    is_tight = not next(column for column in state.columns if column.name == "id").is_nullable
    require(not (is_tight and wrote), "a NULL is in a column that is NOT NULL")
    if kind == "tighten" and wrote:
        # It never converges over this row: data refuses it, with nothing changed.
        require(isinstance(_error_of(line), DeltaSchemaError), "a NULL was tightened over")
    else:
        line.require_converged()
    rows, _ = rows_in(bench, table_folder(bench.warehouse, name))
    require_rows(only(rows, ["id", "p"]), expected, "after a second apply")
    require(digest(folder / BYSTANDER) == before, "the table of somebody else has changed")
    bench.clean(folder)


def _race(case: Case, bench: Bench, write: Any, change: Any) -> tuple[Runner, Runner]:
    """Start both; who begins, and by how much, is swept over the time that both take."""
    seen = bench.shared.setdefault("races", {}).setdefault(case.values["kind"], {"statement": [], "writer": []})
    takes = {who: statistics.median(known[-5:]) if known else FIRST_GUESS[who] for who, known in seen.items()}
    fraction = case.values["fraction"] + case.values["width"] * (case.random(bench.seed).random() - 0.5)
    offset = fraction * (takes["statement"] + takes["writer"]) - takes["writer"]
    barrier = threading.Barrier(2)
    writer, changer = Runner(write, barrier, max(0, offset)), Runner(change, barrier, max(0, -offset))
    for process in (writer, changer):
        process.start()
    for item in (writer, changer):
        item.join()
    seen["writer"].append(writer.seconds)
    seen["statement"].append(changer.seconds)
    return writer, changer


def _error_of(line: Line) -> Exception | None:
    try:
        line.apply()
    except DeltaSchemaError as error:
        return error
    return None


AREA = Area(
    name="races",
    title="a writer against tightening, rewriting, restoring",
    cases=_cases,
    run=_run,
    needs_jvm=True,
    sample=3,
)

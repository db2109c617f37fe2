"""What is killed: for every kind of statement, the scenarios in which it runs, and three that no scenario runs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StringType

from faults.scenario_runs.fault_scenarios import Line, going_through, moved, planned_statements, scenario_named
from faults.scenario_runs.local_fault_scenarios import rows_in
from pytest_delta_schema import Column, Parquet, Table
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.sql.renderers import restoring
from pytest_delta_schema.sql.statement import StatementKind
from pytest_delta_schema.testing.scenario import Scenario

if TYPE_CHECKING:
    from faults.bench import Bench

MANY = 3000
"""Rows of the tables that are rewritten, in seven partitions."""

COLUMNS = [Column("id", LongType()), Column("day", StringType()), Column("n", LongType())]
_FRAME = ("id", "concat('day-', id % 7) AS day", "id * 3 AS n")

REWRITTEN, CONVERTED, RESTORED = "own/rewritten", "own/converted", "own/restored"
_OWN = {
    REWRITTEN: (StatementKind.REWRITE_LAYOUT,),
    CONVERTED: (StatementKind.CONVERT_TABLE, StatementKind.REGISTER_TABLE),
    RESTORED: (StatementKind.RESTORE_TABLE,),
}


def _table(**options: Any) -> Table:
    return Table("dev", "silver", "orders", COLUMNS, **options)


def scenario_of(name: str) -> Scenario:
    """Return a scenario of the suite, or one of those that are played here only."""
    if name not in _OWN:
        return scenario_named(name)
    after = {
        REWRITTEN: _table(partitioned_by=["day"]),
        CONVERTED: _table(partitioned_by=["day"], convert_from=Parquet("unknown yet")),
        RESTORED: _table(),
    }[name]
    before = None if name == CONVERTED else _table()
    return Scenario(name=name, before=before, after=after, plan="", sql="", consents=("rewrite dev.silver.orders",))


def scenarios_with(kind: StatementKind) -> list[str]:
    """Return the names of all scenarios in which a kind of statement runs."""
    own = [name for name, kinds in _OWN.items() if kind in kinds]
    if kind in (StatementKind.CONVERT_TABLE, StatementKind.RESTORE_TABLE):
        return own
    played = [
        scenario.name
        for scenario in going_through()
        if any(statement.kind is kind for statement in planned_statements(scenario.name))
    ]
    return [*own, *played]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCopy:
    """A copy of a scenario.

    Args:
        name: The name of the scenario.
        schema: Of its tables.
        source: The folder of parquet that is converted; ``""`` if there is none.
    """

    name: str
    schema: str
    source: str = ""

    @property
    def scenario(self) -> Scenario:
        """The scenario with the names that the tables have."""
        there = moved(scenario_of(self.name), self.schema)
        if not self.source:
            return there
        return replace(there, after=replace(there.after, convert_from=Parquet(self.source)))

    def act(self, catalog: Any, ddl: Any) -> None:
        """Do what is to be hit."""
        if self.name == RESTORED:
            ddl.run(restoring(self.scenario.after.name, 1))
        else:
            Line(scenario=self.scenario, catalog=catalog, ddl=ddl).apply()

    def folder(self, warehouse: Path) -> Path:
        """Return where the files of the table are."""
        return Path(self.source) if self.source else table_folder(warehouse, self.scenario.after.name)


def fill(bench: Bench, name: str, table: Table) -> None:
    """Write the rows of a table that no scenario has, in several files and commits."""
    if name in (REWRITTEN, RESTORED):
        for start in (0, MANY):
            frame = bench.local.spark.range(start, start + MANY, 1, 2).selectExpr(*_FRAME)
            frame.write.format("delta").mode("append").save(str(table_folder(bench.warehouse, table.name)))


def parquet_for(bench: Bench) -> tuple[Path, list[dict[str, Any]]]:
    """Return a copy of a partitioned folder of parquet, and its rows."""
    with bench.lock:
        if "parquet" not in bench.shared:
            kept = bench.new_folder("parquet") / "kept"
            frame = bench.local.spark.range(0, MANY, 1, 2).selectExpr(*_FRAME)
            frame.write.partitionBy("day").parquet(str(kept))
            bench.shared["parquet"] = (kept, rows_in(bench, kept, "parquet")[0])
        kept, rows = bench.shared["parquet"]
    folder = bench.new_folder("lake") / "orders"
    shutil.copytree(kept, folder)
    return folder, rows

"""Scenarios: a table as it was, a model of today and the statements between, on the memory and the local catalog.

They are those that every backend runs, and a few that are played here only. The rows that are expected after a fault are
those that were read before it, or those that the scenario writes out; nothing of the code under test compares them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StringType

from faults.cases import BrokenInvariantError, require, require_clean
from pytest_delta_schema import Column, DeltaSchemaError, Orchestrator, Parquet, Table
from pytest_delta_schema.backends.local.warehouse import schema_folder, table_folder
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.models import Binding
from pytest_delta_schema.models.table import derived
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.rules import PlanValidator, default_model_rules, default_plan_rules
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql.renderers import restoring
from pytest_delta_schema.testing.data_access import SparkDataAccess
from pytest_delta_schema.testing.scenario import Scenario
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from pytest_delta_schema.testing.scenario_runner import planned_statements as statements_of
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from faults.bench import Bench
    from pytest_delta_schema.sql import Statement

SCHEMA = "silver"
"""Where the tables of scenarios are declared."""

REWRITTEN, CONVERTED, RESTORED = "own/rewritten", "own/converted", "own/restored"
MANY = 3000
"""Rows of the tables that are rewritten, in seven partitions."""

COLUMNS = [Column("id", LongType()), Column("day", StringType()), Column("n", LongType())]
_FRAME = ("id", "concat('day-', id % 7) AS day", "id * 3 AS n")


def own_scenario(name: str, before: list[Column] | None, after: list[Column], **options: Any) -> Scenario:
    """Return a scenario of one table, which may be rewritten."""
    rows = options.pop("rows", ())
    return Scenario(
        name=name,
        before=None if before is None else Table("dev", SCHEMA, "orders", before),
        after=Table("dev", SCHEMA, "orders", after, **options),
        rows=rows,
        consents=(f"rewrite dev.{SCHEMA}.orders",),
    )


OWN = {
    REWRITTEN: own_scenario(REWRITTEN, COLUMNS, COLUMNS, partitioned_by=["day"]),
    CONVERTED: own_scenario(CONVERTED, None, COLUMNS, partitioned_by=["day"], convert_from=Parquet("unknown yet")),
    RESTORED: own_scenario(RESTORED, COLUMNS, COLUMNS),
}
"""Scenarios that are played here only; those of `races` are added there."""


@cache
def scenario_named(name: str) -> Scenario:
    """Return a scenario by its name."""
    return OWN[name] if name in OWN else next(scenario for scenario in SCENARIOS if scenario.name == name)


@cache
def going_through() -> list[Scenario]:
    """Return the scenarios that no rule refuses and that need nothing but tables."""

    def is_at_home(scenario: Scenario) -> bool:
        tables = [scenario.after, *(other for other, _ in scenario.other_tables)]
        return all(table.name[:2] == ("dev", SCHEMA) for table in tables)

    allowed = [scenario for scenario in SCENARIOS if not scenario.refused_by and scenario.parquet is None]
    return [scenario for scenario in allowed if is_at_home(scenario)]


@cache
def planned_statements(name: str) -> tuple[Statement, ...]:
    """Return the statements of a scenario, as the memory catalog would run them."""
    return tuple(statements_of(scenario_named(name)))


def moved(name: str, schema: str, source: str = "") -> Scenario:
    """Return a scenario whose tables are in another schema of ``dev``, and which converts a folder of parquet."""
    scenario, binding = scenario_named(name), Binding(((("dev", SCHEMA), ("dev", schema)),))

    def bound(table: Table) -> Table:
        there = binding.table(table)
        return derived(there, origin=there.origin._replace(name=there.name))

    after = bound(scenario.after)
    return replace(
        scenario,
        before=None if scenario.before is None else bound(scenario.before),
        after=replace(after, convert_from=Parquet(source)) if source else after,
        other_tables=tuple((bound(other), rows) for other, rows in scenario.other_tables),
        consents=tuple(consent.replace(f"dev.{SCHEMA}.", f"dev.{schema}.") for consent in scenario.consents),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A scenario on a catalog; ``ddl`` is where statements run, the catalog itself unless something is between."""

    scenario: Scenario
    catalog: Any
    ddl: Any = None
    restores: bool = False

    def _orchestrator(self) -> Orchestrator:
        policy = self.scenario.property_policy
        consents = default_plan_rules(map(parse_consent, self.scenario.consents))
        return Orchestrator(
            self.catalog,
            ActionRunner.over(self.ddl or self.catalog, restores=self.restores),
            planner=TablePlanner(policy=policy),
            validator=PlanValidator(model_rules=default_model_rules(policy=policy), plan_rules=consents),
        )

    def apply(self) -> None:
        """Apply the model of today, as a user of the library does; or restore, where the scenario is that."""
        if self.scenario.name == RESTORED and self.ddl is not None:
            self.ddl.run(restoring(self.scenario.after.name, 1))
        else:
            others = [other for other, _ in self.scenario.other_tables]
            self._orchestrator().sync_tables([self.scenario.after], other_models=others)

    def require_converged(self) -> None:
        """Apply once more and require that nothing is left to do."""
        self.apply()
        others = [other for other, _ in self.scenario.other_tables]
        plan = self._orchestrator().plan_tables([self.scenario.after], other_models=others)
        left = [str(line) for action in plan.actions for line in change_lines(action)]
        require(not left, f"after a second apply the plan is not empty: {'; '.join(left)}")


def require_rows(kept_rows: Iterable[Mapping[str, Any]], expected: Iterable[Mapping[str, Any]], what: str) -> None:
    """Require the same rows, in any order, each value of the same type and equal."""
    left, right = sorted(map(_text, kept_rows)), sorted(map(_text, expected))
    if left != right:
        lost, new = sorted(set(right) - set(left)), sorted(set(left) - set(right))
        reason = f"{what}: rows differ; {len(right)} expected, {len(left)} found; lost {lost[:3]}, new {new[:3]}"
        raise BrokenInvariantError(reason)


def _text(row: Mapping[str, Any]) -> str:
    return repr(sorted((name.lower(), _plain(value)) for name, value in row.items()))


def _plain(value: Any) -> Any:
    """Give a value a shape that compares equal only to itself: NaN, -0.0 and types included.

    Below 2**53 every integer is a double; a scenario may write 1 where a widened column holds 1.0.
    """
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and -(2**53) < value < 2**53:
        return float(value)
    if isinstance(value, dict):
        return sorted((repr(key), _plain(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def rows_after(scenario: Scenario, before: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows that a scenario ends with: those that it writes out, or those before by the columns of the end."""
    if scenario.rows_after is not None:
        return [dict(row) for row in scenario.rows_after]
    return only(before, columns)


def only(rows: Iterable[Mapping[str, Any]], names: Iterable[str]) -> list[dict[str, Any]]:
    """Return rows with some columns only, by names in lower case."""
    wanted = sorted({name.lower() for name in names})
    return [{name: {key.lower(): value for key, value in row.items()}.get(name) for name in wanted} for row in rows]


def require_one_story(error: object) -> None:
    """Require that an error is one of the package, without secrets and tracebacks."""
    require(isinstance(error, DeltaSchemaError), f"raised {type(error).__name__} and no DeltaSchemaError: {error}")
    require_clean(str(error), f"the text of {type(error).__name__}")


TEMPLATE = "template"
"""As many characters as the schemas of cases have, so a log can be moved by replacing one text by another."""

BYSTANDER = "bystander"
COMMIT = re.compile(r"\d{20}\.json")


class Stage:
    """A copy of a scenario's tables in a schema of its own, next to a table that must not change."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.schema, self.source = bench.schema(), ""
        self.folder = schema_folder(bench.warehouse, "dev", self.schema)
        if name == CONVERTED:
            kept, _ = template(bench, RESTORED)
            self.source, self.rows = _parquet(bench)
        else:
            kept, self.rows = template(bench, name)
        copy_tables(kept, self.folder, self.schema, leave_out="orders" if name == CONVERTED else "")
        self.scenario = moved(name, self.schema, self.source)
        self._bystander = digest(self.folder / BYSTANDER)

    @property
    def table(self) -> Path:
        """Where the files of the table are."""
        return Path(self.source) if self.source else self.folder / self.scenario.after.table_name

    def require_sound(self, bench: Bench, when: str) -> None:
        """Require that the table has the rows of the scenario's end, and that the table next to it is unchanged."""
        kept_rows, columns = rows_in(bench, self.table)
        require_rows(kept_rows, rows_after(self.scenario, self.rows, columns), when)
        self.require_alone()

    def require_alone(self) -> None:
        """Require that the table next to it is unchanged."""
        require(digest(self.folder / BYSTANDER) == self._bystander, "the table of somebody else has changed")


def template(bench: Bench, name: str) -> tuple[Path, list[dict[str, Any]]]:
    """Return the folder of a scenario's tables and the rows of the one that is changed; made when first asked for."""
    made: tuple[Path, list[dict[str, Any]]] = bench.once(f"template {name}", lambda: _made(bench, name))
    return made


def _made(bench: Bench, name: str) -> tuple[Path, list[dict[str, Any]]]:
    bystander, there = bench.once("bystander", lambda: _bystander(bench)), moved(name, TEMPLATE)
    folder = schema_folder(bench.warehouse, "dev", TEMPLATE)
    create_initial_tables(there, bench.local, SparkDataAccess())
    if name in (REWRITTEN, RESTORED):
        for start in (0, MANY):
            frame = bench.local.spark.range(start, start + MANY, 1, 2).selectExpr(*_FRAME)
            frame.write.format("delta").mode("append").save(str(table_folder(bench.warehouse, there.after.name)))
    rows, _ = rows_in(bench, table_folder(bench.warehouse, there.after.name))
    kept = bench.new_folder(f"template-{name}") / SCHEMA
    if there.before is not None or there.other_tables:
        # The schema of a table that is created alone is created, too: there is nobody else in it.
        shutil.copytree(folder, kept)
        shutil.copytree(bystander, kept / BYSTANDER)
    bench.local.drop_schema("dev", TEMPLATE)
    return kept, rows


def _bystander(bench: Bench) -> Path:
    model = Table("dev", TEMPLATE, BYSTANDER, [Column("id", LongType()), Column("note", StringType())])
    Orchestrator.over(bench.local).sync_tables([model])
    bench.local.insert(model.name, [{"id": number, "note": f"nobody touches row {number}"} for number in range(5)])
    kept = bench.new_folder(BYSTANDER) / BYSTANDER
    shutil.copytree(table_folder(bench.warehouse, model.name), kept)
    bench.local.drop_schema("dev", TEMPLATE)
    return kept


def _parquet(bench: Bench) -> tuple[str, list[dict[str, Any]]]:
    """Return a copy of a partitioned folder of parquet, and its rows."""

    def made() -> tuple[Path, list[dict[str, Any]]]:
        kept = bench.new_folder("parquet") / "kept"
        bench.local.spark.range(0, MANY, 1, 2).selectExpr(*_FRAME).write.partitionBy("day").parquet(str(kept))
        return kept, rows_in(bench, kept, "parquet")[0]

    kept, rows = bench.once("parquet", made)
    folder = bench.new_folder("lake") / "orders"
    shutil.copytree(kept, folder)
    return str(folder), rows


def copy_tables(source: Path, folder: Path, schema: str, *, leave_out: str = "") -> None:
    """Copy the folders of tables, and let their logs name another schema of as many characters."""
    if source.exists():
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(leave_out) if leave_out else None)
    for commit in folder.glob("*/_delta_log/*"):
        if commit.suffix in (".json", ".crc") and commit.is_file() and not commit.name.startswith("."):
            text = commit.read_text("utf-8")
            if TEMPLATE in text:
                commit.write_text(text.replace(TEMPLATE, schema), "utf-8")
                commit.with_name(f".{commit.name}.crc").unlink(missing_ok=True)


def rows_in(bench: Bench, folder: Path, kind: str = "delta") -> tuple[list[dict[str, Any]], list[str]]:
    """Read all rows in a folder, past the code under test, and the names of their columns; none if there is no table."""
    if kind == "delta" and not any(folder.glob("_delta_log/*.json")):
        return [], []
    frame = bench.local.spark.read.format(kind).load(str(folder))
    return [row.asDict(recursive=True) for row in frame.collect()], frame.columns


def age(folder: Path) -> None:
    """Make files that are no commits two minutes older: younger ones may belong to a writer that is still running."""
    then = time.time() - 120
    for path in folder.glob("_delta_log/**/*"):
        if path.is_file() and not COMMIT.fullmatch(path.name):
            os.utime(path, (then, then))


def digest(folder: Path) -> str:
    """Return one hash of all names and bytes below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    listing = [(str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()

"""Scenarios: a table as it was, a model of today and the statements between, on the memory and the local catalog.

They are the scenarios that every backend runs. The rows that are expected after a fault are those that were read
before it, or those that the scenario writes out; nothing of the code under test compares them.
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
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StringType

from faults.bench import require, require_clean
from faults.cases import BrokenInvariantError
from pytest_delta_schema import Column, Orchestrator, Table
from pytest_delta_schema.backends.local.warehouse import schema_folder, table_folder
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.models import Binding
from pytest_delta_schema.models.table import derived
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.rules import PlanValidator, default_model_rules, default_plan_rules
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql import statements
from pytest_delta_schema.testing.data_access import SparkDataAccess
from pytest_delta_schema.testing.scenario_runner import create_initial_tables
from pytest_delta_schema.testing.scenario_runner import planned_statements as statements_of
from pytest_delta_schema.testing.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from faults.bench import Bench
    from pytest_delta_schema import QualifiedName
    from pytest_delta_schema.sql import Statement
    from pytest_delta_schema.testing.scenario import Scenario


_EXACT = 2**53
"""Below it every integer is a double; a scenario may write 1 where a widened column holds 1.0."""

SCHEMA = "silver"
"""Where the tables of scenarios are declared."""


def going_through() -> list[Scenario]:
    """Return the scenarios that no rule refuses and that need nothing but tables."""
    return [
        scenario
        for scenario in SCENARIOS
        if not scenario.refused_by and scenario.parquet is None and _is_at_home(scenario)
    ]


def _is_at_home(scenario: Scenario) -> bool:
    tables = [scenario.after, *(other for other, _ in scenario.other_tables)]
    return all(table.name[:2] == ("dev", SCHEMA) for table in tables)


@cache
def scenario_named(name: str) -> Scenario:
    """Return a scenario by its name."""
    return next(scenario for scenario in SCENARIOS if scenario.name == name)


@cache
def planned_statements(name: str) -> tuple[Statement, ...]:
    """Return the statements of a scenario, as the memory catalog would run them."""
    return tuple(statements_of(scenario_named(name)))


def moved(scenario: Scenario, schema: str) -> Scenario:
    """Return a scenario whose tables are in another schema of ``dev``."""
    binding = Binding(((("dev", SCHEMA), ("dev", schema)),))

    def bound(table: Table) -> Table:
        there = binding.table(table)
        return derived(there, origin=there.origin._replace(name=there.name))

    return replace(
        scenario,
        before=None if scenario.before is None else bound(scenario.before),
        after=bound(scenario.after),
        other_tables=tuple((bound(other), rows) for other, rows in scenario.other_tables),
        consents=tuple(consent.replace(f"dev.{SCHEMA}.", f"dev.{schema}.") for consent in scenario.consents),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A scenario on a catalog.

    Args:
        scenario: With the names that the tables have there.
        catalog: Where.
        ddl: Where statements run; the catalog itself unless something is between.
        restores: Whether a table that stops midway is restored.
    """

    scenario: Scenario
    catalog: Any
    ddl: Any = None
    restores: bool = False

    @property
    def models(self) -> list[Table]:
        """What is applied."""
        return [self.scenario.after]

    @property
    def known(self) -> list[Table]:
        """The models beside it."""
        return [other for other, _ in self.scenario.other_tables]

    def orchestrator(self) -> Orchestrator:
        """Build the engine as a user of the library does."""
        ddl = self.ddl or self.catalog
        consents = default_plan_rules(map(parse_consent, self.scenario.consents))
        validator = PlanValidator(
            model_rules=default_model_rules(policy=self.scenario.property_policy),
            plan_rules=consents,
        )
        runner = ActionRunner.over(ddl, restores=self.restores)
        return Orchestrator(
            self.catalog,
            runner,
            planner=TablePlanner(policy=self.scenario.property_policy),
            validator=validator,
        )

    def apply(self) -> tuple[Statement, ...]:
        """Apply the model of today."""
        return self.orchestrator().sync_tables(self.models, other_models=self.known).statements

    def planned(self) -> list[Statement]:
        """Return what an apply would run."""
        plan = self.orchestrator().plan_tables(self.models, other_models=self.known)
        return [statement for action in plan.actions for statement in statements(action)]

    def require_converged(self) -> None:
        """Apply once more and require that nothing is left to do."""
        self.apply()
        plan = self.orchestrator().plan_tables(self.models, other_models=self.known)
        left = [str(line) for action in plan.actions for line in change_lines(action)]
        require(not left, f"after a second apply the plan is not empty: {'; '.join(left)}")


def require_rows(kept_rows: Iterable[Mapping[str, Any]], expected: Iterable[Mapping[str, Any]], what: str) -> None:
    """Require the same rows, in any order, each value of the same type and equal."""
    left, right = sorted(map(_text, kept_rows)), sorted(map(_text, expected))
    if left != right:
        lost, new = sorted(set(right) - set(left)), sorted(set(left) - set(right))
        reason = f"{what}: rows differ; {len(right)} expected, {len(left)} found; lost {lost[:3]}, new {new[:3]}"
        raise BrokenInvariantError(reason)


def rows_after(scenario: Scenario, before: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows that a scenario ends with: those that it writes out, or those before by the columns of the end."""
    if scenario.rows_after is not None:
        return [dict(row) for row in scenario.rows_after]
    return only(before, columns)


def only(rows: Iterable[Mapping[str, Any]], names: Iterable[str]) -> list[dict[str, Any]]:
    """Return rows with some columns only, by names in lower case."""
    wanted = sorted({name.lower() for name in names})
    return [{name: {key.lower(): value for key, value in row.items()}.get(name) for name in wanted} for row in rows]


def require_one_story(error: BaseException) -> None:
    """Require that an error is one of the package, without secrets and tracebacks."""
    from pytest_delta_schema import DeltaSchemaError  # noqa: PLC0415 - named here only

    require(isinstance(error, DeltaSchemaError), f"raised {type(error).__name__} and no DeltaSchemaError: {error}")
    require_clean(str(error), f"the text of {type(error).__name__}")


def require_one_line(text: str) -> None:
    """Require that the first line of an error names its reason, without secrets and tracebacks."""
    require_clean(text, "the error")
    headline = text.splitlines()[0]
    require(";" in headline or ":" in headline, f"the headline names no reason: {headline}")
    require("py4j" not in headline.lower(), f"the headline speaks of py4j: {headline}")


def _text(row: Mapping[str, Any]) -> str:
    return repr(sorted((name.lower(), _plain(value)) for name, value in row.items()))


def _plain(value: Any) -> Any:
    """Give a value a shape that compares equal only to itself: NaN, -0.0 and types included."""
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and -_EXACT < value < _EXACT:
        return float(value)
    if isinstance(value, dict):
        return sorted((repr(key), _plain(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


TEMPLATE = "template"
"""As many characters as the schemas of cases have, so a log can be moved by replacing one text by another."""

BYSTANDER = "bystander"
COMMIT = re.compile(r"\d{20}\.json")
_ROWS = [{"id": number, "note": f"nobody touches row {number}"} for number in range(5)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A copy of a scenario's tables, beside a table that must not change.

    Args:
        scenario: With the names that the tables have.
        schema: Their schema.
        rows: The rows of the table, as they were read from the template.
        bystander: The digest of the table of somebody else.
        folder: The schema's folder.
    """

    scenario: Scenario
    schema: str
    rows: list[dict[str, Any]]
    bystander: str
    folder: Path

    @property
    def table(self) -> QualifiedName:
        """The table that is changed."""
        return self.scenario.after.name

    def require_sound(self, bench: Bench) -> None:
        """Require that the table has the rows of the scenario's end, and that the table beside it is unchanged."""
        kept_rows, columns = rows_in(bench, table_folder(bench.warehouse, self.table))
        require_rows(kept_rows, rows_after(self.scenario, self.rows, columns), "after the second apply")
        require(digest(self.folder / BYSTANDER) == self.bystander, "the table of somebody else has changed")

    def close(self, bench: Bench) -> None:
        """Remove the copy."""
        bench.clean(self.folder)


def on_local(bench: Bench, name: str, scenario: Scenario | None = None) -> Stage:
    """Set a scenario on the local catalog, in its own schema."""
    source, rows = template(bench, name, scenario or scenario_named(name))
    schema = bench.schema("s")
    folder = schema_folder(bench.warehouse, "dev", schema)
    copy_tables(source, folder, schema)
    return Stage(
        scenario=moved(scenario or scenario_named(name), schema),
        schema=schema,
        rows=rows,
        bystander=digest(folder / BYSTANDER),
        folder=folder,
    )


def template(
    bench: Bench,
    name: str,
    scenario: Scenario,
    fill: Callable[[Bench, str, Table], None] | None = None,
) -> tuple[Path, list[dict[str, Any]]]:
    """Return the folder of a scenario's tables and the rows of the one that is changed; made when first asked for."""
    with bench.lock:
        known: dict[str, tuple[Path, list[dict[str, Any]]]] = bench.shared.setdefault("templates", {})
        if name not in known:
            known[name] = _made(bench, name, scenario, fill)
        return known[name]


def _made(
    bench: Bench,
    name: str,
    scenario: Scenario,
    fill: Callable[[Bench, str, Table], None] | None,
) -> tuple[Path, list[dict[str, Any]]]:
    there = moved(scenario, TEMPLATE)
    create_initial_tables(there, bench.local, SparkDataAccess())
    if fill is not None:
        fill(bench, name, there.after)
    bystander = Table("dev", TEMPLATE, BYSTANDER, [Column("id", LongType()), Column("note", StringType())])
    folder = schema_folder(bench.warehouse, "dev", TEMPLATE)
    if "bystander" in bench.shared:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(bench.shared["bystander"], folder / BYSTANDER)
    else:
        Orchestrator.over(bench.local).sync_tables([bystander])
        bench.local.insert(bystander.name, _ROWS)
        bench.shared["bystander"] = bench.new_folder("bystander") / BYSTANDER
        shutil.copytree(folder / BYSTANDER, bench.shared["bystander"])
    rows, _ = rows_in(bench, table_folder(bench.warehouse, there.after.name))
    kept = bench.new_folder(f"template-{name}") / SCHEMA
    if scenario.before is not None or scenario.other_tables:
        # The schema of a table that is created alone is created, too: there is nobody else in it.
        shutil.copytree(folder, kept)
    bench.local.drop_schema("dev", TEMPLATE)
    return kept, rows


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

"""Scenarios on the local catalog: each scenario is set once, and every case gets a copy of its folders."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StringType

from faults.bench import require
from faults.scenario_runs.fault_scenarios import SCHEMA, moved, require_rows, rows_after, scenario_named
from pytest_delta_schema import Column, Orchestrator, Table
from pytest_delta_schema.backends.local.warehouse import schema_folder, table_folder
from pytest_delta_schema.testing.data_access import SparkDataAccess
from pytest_delta_schema.testing.scenario_runner import create_initial_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from faults.bench import Bench
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.testing.scenario import Scenario

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
    bench: Bench, name: str, scenario: Scenario, fill: Callable[[Bench, str, Table], None] | None = None
) -> tuple[Path, list[dict[str, Any]]]:
    """Return the folder of a scenario's tables and the rows of the one that is changed; made when first asked for."""
    with bench.lock:
        known: dict[str, tuple[Path, list[dict[str, Any]]]] = bench.shared.setdefault("templates", {})
        if name not in known:
            known[name] = _made(bench, name, scenario, fill)
        return known[name]


def _made(
    bench: Bench, name: str, scenario: Scenario, fill: Callable[[Bench, str, Table], None] | None
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

"""Misleading consents, through the whole plugin: nothing is dropped without consent by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from faults.bench import require, require_clean
from faults.cases import Area, Case
from faults.plugin_runs.consent_cases import CONSENT_CASES
from faults.plugin_runs.inner import run_pytest

if TYPE_CHECKING:
    from faults.bench import Bench

GONE = "gone.json"

MODELS = """
from pyspark.sql.types import LongType, StructField, StructType
from pytest_delta_schema import Column, Table

MAPPED = {"delta.columnMapping.mode": "name"}
ID = Column("id", LongType())

def model(name, *columns, **options):
    return Table(*name, [ID, *columns], table_properties=MAPPED, **options)

def struct(name, *fields):
    return Column(name, StructType([StructField(field, LongType()) for field in fields]))

orders = model(("dev", "silver", "orders"))
elsewhere = model(("prod", "silver", "orders"))
lines = model(("dev", "silver", "lines"), struct("addr", "city"))
items = model(("dev", "silver", "items"), struct("x", "z"))
items_x = model(("dev", "silver", "items.x"))
column_with_dot = model(("dev", "silver", "dots"), struct("a", "b", "c"))
field_of_struct = model(("dev", "silver", "fields"), struct("a", "c"), Column("a.b", LongType()))
brackets = model(("dev", "silver", "o[1]"))
like_brackets = model(("dev", "silver", "o1"))
star = model(("dev", "silver", "*"))
parts = model(("dev", "silver", "parts"), Column("p", LongType()), Column("q", LongType()), partitioned_by=["p"])
"""
"""Every model lacks one thing that its table has."""

CONFTEST = """
import json
from pathlib import Path

import pytest
from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.state import ColumnState, StructState, TableState

LONG = ColumnState("id", "bigint", True, "")

def column(name, *fields):
    kind = StructState(tuple(LONG._replace(name=field) for field in fields)) if fields else "bigint"
    return ColumnState(name, kind, True, "")

def held(name, *columns, **options):
    mapped = {"delta.columnMapping.mode": "name"}
    return TableState(name=QualifiedName(*name), columns=(LONG, *columns), table_properties=mapped, **options)

HELD = [
    held(("dev", "silver", "orders"), column("legacy")),
    held(("prod", "silver", "orders"), column("legacy")),
    held(("dev", "silver", "lines"), column("addr", "zip", "city")),
    held(("dev", "silver", "items"), column("x", "y", "z")),
    held(("dev", "silver", "items.x"), column("y")),
    held(("dev", "silver", "dots"), column("a.b"), column("a", "b", "c")),
    held(("dev", "silver", "fields"), column("a.b"), column("a", "b", "c")),
    held(("dev", "silver", "o[1]"), column("legacy")),
    held(("dev", "silver", "o1"), column("legacy")),
    held(("dev", "silver", "*"), column("legacy")),
    held(("dev", "silver", "parts"), column("p"), column("q"), partitioning=("q",)),
]

def things(table):
    for column in table.columns:
        yield json.dumps([*table.name, column.name])
        if isinstance(column.data_type, StructState):
            yield from (json.dumps([*table.name, column.name, field.name]) for field in column.data_type.fields)
    yield json.dumps([*table.name, "partitioned by", *table.partitioning])

@pytest.fixture(scope="session")
def delta_catalog():
    catalog = MemoryCatalog(HELD, rows={table.name: [{"id": 1}] for table in HELD})
    yield catalog
    now = {thing for table in catalog._tables.values() for thing in things(table)}
    before = {thing for table in HELD for thing in things(table)}
    Path("gone.json").write_text(json.dumps(sorted(before - now)))
"""


def _cases(_: int) -> list[Case]:
    return [Case(area="consents", name=name, values={"consent_case": name}) for name in CONSENT_CASES]


def _run(case: Case, bench: Bench) -> None:
    consent_case, folder = CONSENT_CASES[case.values["consent_case"]], bench.new_folder(case.name)
    (folder / "models.py").write_text(MODELS, "utf-8")
    (folder / "conftest.py").write_text(CONFTEST, "utf-8")
    lines = ["[pytest]", "pythonpath = .", "delta_models = models", *consent_case.ini]
    (folder / "pytest.ini").write_text("\n".join(lines), "utf-8")
    if consent_case.entries:
        (folder / "pyproject.toml").write_text("\n".join(consent_case.entries), "utf-8")
    consents = [f"--delta-allow={consent}" for consent in consent_case.allow]
    text = run_pytest(
        folder, ["--delta-apply", "-m", "delta_apply", *consents, *consent_case.args], consent_case.environment
    )
    require_clean(text, "the output")
    require("INTERNALERROR" not in text, f"pytest broke: {text[-600:]}")
    record = folder / GONE
    gone = set(json.loads(record.read_text("utf-8"))) if record.exists() else set()
    agreed = {json.dumps(list(thing)) for thing in consent_case.agreed}
    require(gone <= agreed, f"gone without consent: {', '.join(sorted(gone - agreed))}")
    require(
        gone == agreed or not consent_case.is_plain,
        f"agreed to and still there: {', '.join(sorted(agreed - gone))}; {text[-600:]}",
    )
    bench.clean(folder)


AREA = Area(name="consents", title="misleading consents", cases=_cases, run=_run, sample=8)

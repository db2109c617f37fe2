"""Applies next to each other and next to writers, in threads."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from pytest_delta_schema import (
    Check,
    LocalCatalog,
    Orchestrator,
    SessionCatalog,
    Table,
    UnsafePlanError,
)
from pytest_delta_schema.backends import constraint_error
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import NotNull
from pytest_delta_schema.sql import StatementKind, statements
from pytest_delta_schema.state import CheckState
from support.covering import ALL
from support.models import column, table
from support.rows import ALL_STATEMENTS, keyed

pytestmark = pytest.mark.spark

ROUNDS = 20 if ALL else 2
MINE = ALL_STATEMENTS[1:]


def kinds_of(result):
    return [
        statement.kind.value for statement in result.statements if statement.kind is not StatementKind.CREATE_SCHEMA
    ]


def require_one_creation(catalog, model, *kinds):
    """One apply has run all statements and the other none, and each of them is one commit."""
    assert sorted(kinds) == [[], MINE]
    assert [commit.version for commit in catalog.commits(model.name)] == [0, 1, 2]


@pytest.fixture
def other_schema(local):
    """A schema of Spark's own catalog, in which Delta makes the tables of a session."""
    catalog = SessionCatalog(local.spark)
    catalog.create_schema("spark_catalog", "silver")
    yield "spark_catalog.silver"
    catalog.drop_schema("spark_catalog", "silver")


@pytest.mark.parametrize("kind", ["local", "session"])
def test_two_threads_at_once(kind, local, warehouse, other_schema):
    """They begin to create the table at the same time."""
    spark = local.spark
    catalogs = [
        LocalCatalog(spark, warehouse=warehouse) if kind == "local" else SessionCatalog(spark) for _ in range(2)
    ]
    local.create_schema("dev", "silver")
    schema = "dev.silver" if kind == "local" else other_schema
    barrier = threading.Barrier(2)
    for catalog in catalogs:
        together(catalog, barrier)

    def apply(catalog, number):
        return kinds_of(Orchestrator.over(catalog).sync_tables([keyed(number, schema)]))

    with ThreadPoolExecutor(2) as threads:
        for number in range(ROUNDS):
            ran = list(threads.map(apply, catalogs, [number] * 2))

            require_one_creation(catalogs[0], keyed(number, schema), *ran)


def together(catalog, barrier):
    run = catalog.run

    def waiting(statement):
        if statement.kind is StatementKind.CREATE_TABLE:
            barrier.wait(60)
        run(statement)

    catalog.run = waiting


RACES = 50 if ALL else 12
BROKEN = {"id": None, "b": -1}
BEFORE, AFTER = -1, 3600


class Writer(threading.Thread):
    """Appends one row that breaks everything, after a while, and notes how that ended."""

    def __init__(self, catalog, name, delay):
        super().__init__()
        self.catalog, self.name_of_table, self.delay = catalog, name, delay
        self.now = threading.Event()
        self.error = None

    def run(self):
        self.now.wait(max(self.delay, 0))
        try:
            self.catalog.insert(self.name_of_table, [BROKEN])
        except StatementError as error:
            self.error = error


def race(catalog, statement, delay: float) -> tuple[bool, bool]:
    """Run ``statement`` while a writer appends; return whether the writer and whether the statement came through."""
    writer = Writer(catalog, statement.table, delay)
    writer.start()
    if delay < 0:
        writer.join()
    lost = None
    try:
        catalog.run(statement)
    except (UnsafePlanError, StatementError) as error:
        lost = error
    writer.now.set()
    writer.join()
    assert lost is None or isinstance(lost, UnsafePlanError) or "DELTA_CONCURRENT_APPEND" in str(lost)
    assert writer.error is None or constraint_error(writer.error) or "DELTA_METADATA_CHANGED" in str(writer.error)
    return writer.error is None, lost is None


def model_of(name: str, kind: str = "") -> Table:
    checks = [Check("positive", "b > 0")] if kind == "check" else []
    return table(column(is_nullable=kind != "not null"), column("b"), name=name, checks=checks)


def round_of(catalog, number: int, delay: float) -> tuple[bool, bool]:
    """Let a constraint and a writer race for a table of their own, and look at what is left."""
    name = f"dev.silver.race_{number}"
    line = Orchestrator.over(catalog)
    (action,) = line.plan_tables([model_of(name, "not null" if number % 2 else "check")]).actions
    (statement,) = statements(action)

    wrote, came = race(catalog, statement, delay)

    state = catalog.snapshot([model_of(name)]).tables[statement.table]
    data_checks = [
        *(NotNull(ColumnPath(column.name)) for column in state.columns if not column.is_nullable),
        *(CheckState(check.name, check.expression) for check in state.checks),
    ]
    assert len(data_checks) == int(came)
    assert not came or catalog.data_checks(statement.table).count_rows(data_checks).broken == (0,)
    return wrote, came


def test_no_row_is_ever_behind_a_constraint_that_it_breaks(local, warehouse):
    # A table that lies in the warehouse is found there, so one is made and the others are copies.
    first = model_of("dev.silver.race_0")
    Orchestrator.over(local).sync_tables([first])
    for number in range(1, RACES):
        copy = first.name._replace(table=f"race_{number}")
        shutil.copytree(table_folder(warehouse, first.name), table_folder(warehouse, copy))
    # The first writer is done before anything else begins, and the last one begins when all is done.
    delays = [BEFORE, *(number / RACES for number in range(RACES - 2)), AFTER]

    with ThreadPoolExecutor(4) as pool:
        ends = set(pool.map(partial(round_of, local), range(RACES), delays))

    assert {(True, False), (False, True)} <= ends

"""Two applies create the same tables: in two processes, in two sessions of Spark, and in two threads of one session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_delta_schema import Orchestrator
from pytest_delta_schema.backends.local.catalog import LocalCatalog
from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
from pytest_delta_schema.execute.protocols import ABSENT
from pytest_delta_schema.sql import StatementKind
from support.covering import ALL
from support.runs import second_apply
from support.values.keyed import ALL_STATEMENTS, keyed

pytestmark = pytest.mark.spark

TESTS = Path(second_apply.__file__).parents[2]
ROUNDS = 20 if ALL else 5
MINE = ALL_STATEMENTS[1:]


class Waiting(LocalCatalog):
    """Lets another apply run just before a table is created.

    Args:
        other: The other apply.
    """

    def __init__(self, spark, *, warehouse, other):
        super().__init__(spark, warehouse=warehouse)
        self.other = other

    def run(self, statement):
        if statement.kind is StatementKind.CREATE_TABLE:
            self.other()
        super().run(statement)


@pytest.fixture(scope="module")
def process(warehouse):
    """Another process with its own JVM over the same warehouse."""
    command, env = (
        [sys.executable, "-m", second_apply.__name__, str(warehouse)],
        {**os.environ, "PYTHONPATH": str(TESTS)},
    )
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        lines = iter(other.stdout.readline, "")
        assert "ready\n" in lines

        def apply(number):
            other.stdin.write(f"{number}\n")
            other.stdin.flush()
            return json.loads(next(lines))

        yield apply
        other.stdin.close()


def without_schema(kinds):
    return [kind for kind in kinds if kind != "create schema"]


def kinds_of(result):
    return without_schema(statement.kind.value for statement in result.statements)


def require_one_creation(catalog, model, *kinds):
    """One apply has run all statements and the other none, and each of them is one commit."""
    assert sorted(kinds) == [[], MINE]
    assert [commit.version for commit in catalog.commits(model.name)] == [0, 1, 2]


def test_another_process_creates_the_table_first(local, warehouse, process):
    ran = []
    catalog = Waiting(local.spark, warehouse=warehouse, other=lambda: ran.append(without_schema(process(0))))

    result = Orchestrator.over(catalog).sync_tables([keyed(0)])

    assert ran == [MINE]
    assert result.already_there == {keyed(0).name}
    require_one_creation(catalog, keyed(0), kinds_of(result), *ran)


def test_two_processes_at_once(local, process):
    with ThreadPoolExecutor(1) as thread:
        for number in range(1, ROUNDS + 1):
            other = thread.submit(process, number)
            result = Orchestrator.over(local).sync_tables([keyed(number)])

            require_one_creation(local, keyed(number), kinds_of(result), without_schema(other.result()))


@pytest.fixture
def other_schema(local):
    """A schema of Spark's own catalog, in which Delta makes the tables of a session."""
    catalog = SessionCatalog(local.spark)
    catalog.create_schema("spark_catalog", "silver")
    yield "spark_catalog.silver"
    catalog.drop_schema("spark_catalog", "silver")


@pytest.mark.parametrize("kind", ["local", "session", "connect"])
def test_two_threads_at_once(kind, local, warehouse, other_schema, request):
    """They begin to create the table at the same time."""
    spark = request.getfixturevalue("remote") if kind == "connect" else local.spark
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


@pytest.fixture
def _being_read(local):
    """Another thread, which reads the next table until it is there."""
    reader, is_over, number = SessionCatalog(local.spark), threading.Event(), 0

    def read():
        nonlocal number
        while not is_over.is_set():
            if reader.version(keyed(number).name) is not ABSENT:
                number += 1

    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(read)
        yield
        is_over.set()
        reading.result()


@pytest.mark.usefixtures("_being_read")
@pytest.mark.parametrize("kind", ["local", "session"])
def test_a_table_that_is_read_while_it_is_created(kind, local, warehouse):
    """Whoever reads a table of the warehouse adds it to the session, where Delta adds those that it has created."""
    catalog = LocalCatalog(local.spark, warehouse=warehouse) if kind == "local" else SessionCatalog(local.spark)
    for number in range(ROUNDS):
        result = Orchestrator.over(catalog).sync_tables([keyed(number)])

        assert (kinds_of(result), result.already_there) == (MINE, frozenset())

"""What each backend can do, counted over the scenarios that do it there."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog
from pytest_delta_schema.backends.local.launch import minor_version
from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.backends.spark.sessions import OPEN_SOURCE_DELTA as LOCAL
from pytest_delta_schema.backends.spark.sessions import SparkVersions
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.backends.unity.catalog import UnityCatalog
from pytest_delta_schema.delta import PAIRS
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing import SCENARIOS
from pytest_delta_schema.testing.scenario_runner import planned_statements

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols import Capabilities
    from pytest_delta_schema.sql.statement import Statement

BACKENDS = {
    "memory": MemoryCatalog.capabilities,
    "local": LOCAL,
    "session, classic": CLASSIC,
    "session, Spark Connect": REMOTE,
    "unity": UnityCatalog.capabilities,
    "databricks": DatabricksCatalog.capabilities,
}
APART = (StatementKind.REGISTER_TABLE, StatementKind.RESTORE_TABLE)
"""Part of no scenario: a path belongs to one machine, and only an apply that stops midway restores."""


@cache
def played() -> list[list[Statement]]:
    """Return the statements of every scenario that goes through."""
    return [planned_statements(scenario) for scenario in SCENARIOS if not scenario.refused_by]


def counts() -> Counter[StatementKind]:
    """Count the scenarios that run each kind of statement to its end."""
    return Counter(
        kind for played_statements in played() for kind in {statement.kind for statement in played_statements}
    )


def table() -> str:
    """Write a table of the documentation."""
    seen = counts()
    lines = [["statement", *BACKENDS, "scenarios"], ["---"] * (len(BACKENDS) + 2)]
    for kind in StatementKind:
        if kind not in APART:
            played_statements = [statement for scenario in played() for statement in scenario if statement.kind is kind]
            lines.append(
                [kind.value, *(_how(can, kind, played_statements) for can in BACKENDS.values()), str(seen[kind])]
            )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def versions_table() -> str:
    """Write the table of the statements that differ between the supported versions, for the local backend."""
    able = {
        pair: SparkVersions(spark=pair.spark, delta=minor_version(pair.delta_spark)).limit(LOCAL)
        for pair in reversed(PAIRS)
    }
    heads = [f"{pair.pyspark} / {pair.delta_spark}" for pair in able]
    lines = [["statement", *heads], ["---"] * (len(heads) + 1)]
    for kind in StatementKind:
        played_statements = [statement for scenario in played() for statement in scenario if statement.kind is kind]
        how = [_how(can, kind, played_statements) for can in able.values()]
        if len(set(how)) > 1:
            lines.append([kind.value, *how])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _how(can: Capabilities, kind: StatementKind, played_statements: list[Statement]) -> str:
    refused = sum(can.refuses(statement) is not None for statement in played_statements)
    if played_statements and refused == len(played_statements):
        return "refused"
    ways = ["refused in parts"] * bool(refused) + ["one by one"] * (kind in can.splits)
    emulated = "emulated" if kind in can.emulates else "emulated in parts"
    return ", ".join(ways) or (emulated if any(map(can.is_emulated, played_statements)) else "yes")

"""What each backend can do, counted over the scenarios that do it there."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog
from pytest_delta_schema.backends.local.catalog import LocalCatalog
from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.backends.spark_session.capabilities import CLASSIC, REMOTE
from pytest_delta_schema.backends.unity.catalog import UnityCatalog
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing import SCENARIOS
from pytest_delta_schema.testing.scenario_runner import planned_statements

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols import Capabilities
    from pytest_delta_schema.sql.statement import Statement

BACKENDS = {
    "memory": MemoryCatalog.capabilities,
    "local": LocalCatalog.capabilities,
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
    return Counter(kind for said in played() for kind in {statement.kind for statement in said})


def table() -> str:
    """Write a table of the documentation."""
    seen = counts()
    lines = [["statement", *BACKENDS, "scenarios"], ["---"] * (len(BACKENDS) + 2)]
    for kind in StatementKind:
        if kind not in APART:
            said = [statement for each in played() for statement in each if statement.kind is kind]
            lines.append([kind.value, *(_how(can, kind, said) for can in BACKENDS.values()), str(seen[kind])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _how(can: Capabilities, kind: StatementKind, said: list[Statement]) -> str:
    refused = sum(can.refuses(statement) is not None for statement in said)
    if refused:
        return "refused" if refused == len(said) else "refused in parts"
    return "emulated" if kind in can.emulates else "yes"

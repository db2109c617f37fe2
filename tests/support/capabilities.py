"""What each backend can do, counted over the scenarios that do it there."""

from __future__ import annotations

from collections import Counter

from pytest_delta_schema import MemoryCatalog, SparkCatalog, StatementKind
from support.play import planned
from support.scenarios import SCENARIOS

BACKENDS = (MemoryCatalog, SparkCatalog)
APART = (StatementKind.REGISTER_TABLE, StatementKind.RESTORE_TABLE)
"""Part of no scenario: a path belongs to one machine, and only an apply that stops midway restores."""


def counts() -> Counter[StatementKind]:
    """Count the scenarios that run each kind of statement to its end; every backend plays all of them."""
    return Counter(
        kind
        for scenario in SCENARIOS
        if not scenario.refused
        for kind in {statement.kind for statement in planned(scenario)}
    )


def table() -> str:
    """Write the table of the README."""
    seen = counts()
    head = ["statement", *(backend.name for backend in BACKENDS), "scenarios"]
    lines = [head, ["---"] * len(head)]
    for kind in StatementKind:
        if kind not in APART:
            how = ["emulated" if kind in backend.emulates else "yes" for backend in BACKENDS]
            lines.append([kind.value, *how, str(seen[kind])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

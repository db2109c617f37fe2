"""Rules about the limits of a run: the highest risk that it allows, and protected tables."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.names.part_path import WHOLE_TABLE, PartPath
from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.rules.rule import violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable


class MaxRiskExceeded:
    """A change is riskier than the run allows.

    Remedy: Raise ``--delta-max-risk``, or remove the change from the model.

    Example:
        settings = Settings(max_risk="metadata")
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], checks=[Check("positive", "id > 0")]
        )
    """

    code = "DS212"

    def __init__(self, limit: Risk = Risk.DESTRUCTIVE) -> None:
        self.limit = limit

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield one violation that lists every change above the limit."""
        lines = [line for line in change_lines(action) if line.risk > self.limit]
        if lines:
            listed = ", ".join(f"{line.path} ({line.risk.label})" for line in lines)
            message = f"changes {listed} are riskier than {self.limit.label}, the maximum of this run"
            remedy = "raise --delta-max-risk, or remove them from the model"
            yield violation(self, action.table, PartPath(lines[0].path), message, remedy)


def protects(pattern: str, name: str) -> bool:
    """Whether an entry of the setting ``protected`` is the dotted name of a table, or a glob pattern that matches it.

    ``*`` matches dots as well, and ``o[1]`` protects the table ``o[1]`` as well as ``o1``.
    """
    entry = folded(pattern)
    return name == entry or fnmatchcase(name, entry)


class ProtectedTable:
    """A table would change that the setting ``protected`` names.

    Remedy: Change it in the way that was agreed on for it, or remove the pattern.

    Example:
        settings = Settings(protected=("dev.silver.*",))
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], comment="Orders")
    """

    code = "DS213"

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(patterns)

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation if the table is protected."""
        name = str(action.table)
        for pattern in self.patterns:
            if protects(pattern, name):
                message = f"is protected by the pattern {pattern} of the setting protected, so no run changes it"
                remedy = "change it in the way that was agreed on for it, or remove the pattern"
                yield violation(self, action.table, WHOLE_TABLE, message, remedy)
                return

"""Rules about risk: what a run may do at most, and where nothing may be done at all."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_delta_schema.plan.describe import change_lines
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.rules.rule import violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable


class MaxRiskExceeded:
    """A change is riskier than the run allows.

    Raise ``--delta-max-risk``, or take the change out of the model.

    Args:
        limit: The highest class that is allowed.
    """

    code = "DS212"

    def __init__(self, limit: Risk = Risk.DESTRUCTIVE) -> None:
        self.limit = limit

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield one violation that lists every change above the limit."""
        lines = [line for line in change_lines(action) if line.risk > self.limit]
        if lines:
            listed = ", ".join(f"{line.path} ({line.risk.label})" for line in lines)
            message = f"changes {listed} are riskier than {self.limit.label}, which is the most that this run allows"
            remedy = "raise --delta-max-risk, or take them out of the model"
            yield violation(self, action.table, lines[0].path, message, remedy)


def protects(pattern: str, name: str) -> bool:
    """Whether a pattern of ``delta_protected`` matches the dotted name of a table: as a pattern, or literally.

    ``*`` crosses dots, and ``o[1]`` protects a table of that name as well as ``o1``.
    """
    folded = pattern.lower()
    return name == folded or fnmatchcase(name, folded)


class ProtectedTable:
    """A table would change that ``delta_protected`` protects.

    Change it in the way that was agreed on for it, or remove the pattern.

    Args:
        patterns: Of dotted names: ``prod.*``; a table of that very name is protected, too, whatever it means as a
            pattern.
    """

    code = "DS213"

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(patterns)

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation if the table is protected."""
        name = str(action.table)
        for pattern in self.patterns:
            if protects(pattern, name):
                message = f"is protected by delta_protected = {pattern}, so no run changes it"
                remedy = "change it by the way that was agreed on for it, or take the pattern out"
                yield violation(self, action.table, "", message, remedy)
                return

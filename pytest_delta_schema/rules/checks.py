"""Rules about CHECK constraints: legal names, and conditions that can be asked of each row alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.types import canonical_type, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Violation
    from pytest_delta_schema.models.table import Table

_RESERVED = "__char_varchar_string_length_check__"
"""The name that Delta keeps for the lengths of char and varchar."""


class InvalidCheckName:
    """Checks are found by name without case, and one name is Delta's own."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every name that is taken twice or reserved."""
        spellings: dict[str, list[str]] = {}
        for check in table.checks:
            spellings.setdefault(check.name.lower(), []).append(check.name)
        for folded, names in spellings.items():
            if len(names) > 1:
                message = f"checks {', '.join(names)} have one name, because names match without case"
                yield violation(self, "DS110", table.qualified_name, names[0], message, "rename or remove all but one")
            if folded == _RESERVED:
                message = f"check {names[0]} has a name that Delta keeps for itself"
                yield violation(self, "DS110", table.qualified_name, names[0], message, "choose another name")


class InvalidCheckExpression:
    """A check is a condition over the row's own columns that gives the same answer every time."""

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every fault that can be known without Spark, and for one rule declared twice."""
        if not table.checks:
            return
        from pytest_delta_schema.state.expressions import canonical, condition_faults

        columns = {column.name.lower(): describe_type(canonical_type(column.data_type)) for column in table.columns}
        first: dict[str, str] = {}
        for check in table.checks:
            subject = f"check {check.name} ({check.expression})"
            for fault in condition_faults(check.expression, columns):
                remedy = "write a condition over the columns of one row, such as amount >= 0"
                yield violation(self, "DS111", table.qualified_name, check.name, f"{subject} {fault}", remedy)
            twin = first.setdefault(canonical(check.expression), check.name)
            if twin.lower() != check.name.lower():
                message = f"{subject} says the same as check {twin}"
                yield violation(self, "DS112", table.qualified_name, check.name, message, "keep one of the two")

"""The rule about a project's policy for table properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.property_policy import FORBIDDEN, REQUIRED, PropertyPolicy
from pytest_delta_schema.rules.rule import violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Violation
    from pytest_delta_schema.models.table import Table


class PropertyPolicyViolation:
    """Models declare the properties that the project requires, and none that it forbids.

    Args:
        policy: What the project says.
    """

    def __init__(self, policy: PropertyPolicy = PropertyPolicy()) -> None:  # noqa: B008 - a frozen value
        self.policy = policy

    def check(self, table: Table) -> Iterator[Violation]:
        """Yield a violation for every key that is missing or has no place in a model."""
        declared = [key for key, value in table.effective_table_properties.items() if value is not None]
        for pattern in self.policy.patterns(REQUIRED):
            if not self.policy.is_covered(pattern, declared):
                message = f"declares no property {pattern}, which the project requires of every table"
                yield violation(self, "DS120", table.qualified_name, pattern, message, "declare it")
        for key in declared:
            if self.policy.mode(key) == FORBIDDEN:
                message = f"declares the property {key}, which the project forbids"
                yield violation(self, "DS120", table.qualified_name, key, message, "take it out")

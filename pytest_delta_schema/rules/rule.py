"""What a rule is, and how its violations are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pytest_delta_schema.delta.features import is_on
from pytest_delta_schema.errors import Violation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable


class ModelRule(Protocol):
    """Judges one declaration, without a catalog."""

    def check(self, table: Table) -> Iterable[Violation]:
        """Yield every violation in ``table``; nothing if it is fine."""
        ...


class PlanRule(Protocol):
    """Judges one planned action."""

    def check(self, action: CreateTable | AlignTable) -> Iterable[Violation]:
        """Yield every violation in ``action``; nothing if it is fine.

        An :class:`~pytest_delta_schema.AlignTable` carries both states, wanted and observed.
        """
        ...


def has_feature(key: str, action: AlignTable) -> bool:
    """Whether a table has the feature that the property ``key`` raises, already or by the plan itself."""
    planned = action.set_table_properties
    return is_on(key, action.observed.table_properties) or (planned is not None and is_on(key, planned.properties))


def violation(  # noqa: PLR0913, PLR0917 - the parts of one sentence
    rule: object, code: str, table: object, path: str, message: str, remedy: str
) -> Violation:
    """Build the violation of ``rule``, named by its class.

    Args:
        rule: The rule itself.
        code: Its code.
        table: The table's name; ``str`` of it is shown.
        path: What inside the table is meant.
        message: The fact and its reason.
        remedy: The way out.
    """
    return Violation(rule=type(rule).__name__, code=code, table=str(table), path=path, message=message, remedy=remedy)

"""The protocols of rules, and what reports and reference pages show of a rule."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pytest_delta_schema.delta.features import is_on
from pytest_delta_schema.errors import Diagnostic, HasCode
from pytest_delta_schema.plan.changes import SetTableProperties

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable


class ModelRule(Protocol):
    """Checks one declaration, without a catalog."""

    def check(self, table: Table) -> Iterable[Diagnostic]:
        """Yield every violation in ``table``; nothing if there is none."""
        ...


class PlanRule(Protocol):
    """Checks one planned action."""

    def check(self, action: CreateTable | AlignTable) -> Iterable[Diagnostic]:
        """Yield every violation in ``action``; nothing if there is none.

        An :class:`~pytest_delta_schema.plan.AlignTable` carries both states, desired and observed.
        """
        ...


class BuiltInModelRule(HasCode, ModelRule, Protocol):
    """A rule of this package for declarations."""


class BuiltInPlanRule(HasCode, PlanRule, Protocol):
    """A rule of this package for plans."""


Stage = Literal["model", "plan", "data check", "rows"]
"""What a rule checks: declarations, plans, the rows of a table under its plan, or rows that a test or a job has."""

_STAGES: dict[str, Stage] = {"1": "model", "2": "plan", "3": "data check", "4": "rows"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInfo:
    """A rule as reports and reference pages show it.

    Args:
        code: Short and stable, such as ``DS101``.
        name: The name of its class, such as ``DuplicateTable``.
        stage: What it checks.
        summary: The fault, in one sentence.
        details: The reason and the remedy, as paragraphs with an empty line between them; ``""`` for none.
    """

    code: str
    name: str
    stage: Stage
    summary: str
    details: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault of a part of a table, before it is reported as a violation.

    Args:
        message: The fact and its reason, without the table's name.
        remedy: What to do about it, in the imperative.
        path: The column, key or property inside the table; ``""`` for the table itself.
    """

    message: str
    remedy: str
    path: str = ""


def rule_info(rule: type[HasCode]) -> RuleInfo:
    """Return what the class of a rule and its docstring say about the fault."""
    summary, _, details = (inspect.getdoc(rule) or "").partition("\n")
    return RuleInfo(
        code=rule.code,
        name=rule.__name__,
        stage=_STAGES[rule.code[2]],
        summary=summary,
        details=details.partition("Args:\n")[0].strip(),
    )


def violation(rule: HasCode, table: object, path: str, message: str, remedy: str) -> Diagnostic:
    """Build a violation of ``rule``, with the name of its class and its code.

    Args:
        rule: The rule that was broken.
        table: The table's name; ``str`` of it is shown.
        path: The column, key or property inside the table; ``""`` for the table itself.
        message: The fact and its reason, without the table's name.
        remedy: What to do about it, in the imperative.
    """
    return Diagnostic(
        rule=type(rule).__name__, code=rule.code, table=str(table), path=path, message=message, remedy=remedy
    )


def has_feature(key: str, action: AlignTable) -> bool:
    """Whether a table has the feature that a property turns on, already or after its plan.

    Args:
        key: The property, such as ``delta.columnMapping.mode``.
        action: The plan of the table.
    """
    planned = action.one(SetTableProperties)
    return is_on(key, action.observed.table_properties) or (planned is not None and is_on(key, planned.properties))

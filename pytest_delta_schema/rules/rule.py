"""The protocols of rules, and how their violations are built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_delta_schema.delta.names import WHOLE_TABLE
from pytest_delta_schema.delta.protocol import is_on
from pytest_delta_schema.diagnostics.errors import diagnostic_of
from pytest_delta_schema.diagnostics.faults import HasCode
from pytest_delta_schema.plan.changes import SetTableProperties

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.names import PartPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault of a part of a table, before it is reported as a violation."""

    message: str
    """The fact and its reason, without the table's name."""
    remedy: str
    """What to do about it, in the imperative."""
    path: PartPath = WHOLE_TABLE


def violation(rule: HasCode, table: object, path: PartPath, message: str, remedy: str) -> Diagnostic:
    """Build a violation of ``rule``, with the name of its class and its code."""
    return diagnostic_of(type(rule), table, message, remedy=remedy, path=path)


def has_feature(key: str, action: AlignTable) -> bool:
    """Whether a table has the feature that a property turns on, already or after its plan."""
    planned = action.one(SetTableProperties)
    return is_on(key, action.observed.table_properties) or (planned is not None and is_on(key, planned.properties))

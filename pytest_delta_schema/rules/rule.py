"""The protocols of rules, and how their violations are built."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pytest_delta_schema.delta.names import WHOLE_TABLE
from pytest_delta_schema.delta.protocol import is_on
from pytest_delta_schema.diagnostics.errors import diagnostic_of
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import SetTableProperties

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.delta.names import PartPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import CreateTable


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


@dataclass(frozen=True, slots=True)
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


class BuiltInModelRule(ABC):
    """The base of the rules of this package for declarations."""

    code: str

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield every violation in ``table``."""
        for fault in self._faults(table):
            yield violation(self, table.qualified_name, fault.path, fault.message, fault.remedy)

    @abstractmethod
    def _faults(self, table: Table) -> Iterator[Fault]: ...


class BuiltInPlanRule(ABC):
    """The base of the rules of this package for plans."""

    code: str

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield every violation in ``action``."""
        for fault in self._faults(action):
            yield violation(self, action.table, fault.path, fault.message, fault.remedy)

    @abstractmethod
    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]: ...


class AlignmentRule(BuiltInPlanRule):
    """The base of the rules for existing tables only."""

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        return self._faults_of_alignment(action) if isinstance(action, AlignTable) else iter(())

    @abstractmethod
    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]: ...


def has_feature(key: str, action: AlignTable) -> bool:
    """Whether a table has the feature that a property turns on, already or after its plan."""
    planned = action.one(SetTableProperties)
    return is_on(key, action.observed.table_properties) or (planned is not None and is_on(key, planned.properties))

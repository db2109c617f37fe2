"""The validator runs every rule over all models or plans and reports all violations at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_delta_schema.delta.names.part_path import WHOLE_TABLE
from pytest_delta_schema.diagnostics.errors import Diagnostic, InvalidModelError, UnsafePlanError, first_line
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.required_kinds import required_tables
from pytest_delta_schema.plan.table_plan import TablePlan
from pytest_delta_schema.rules.reported_rules import DuplicateTable, FailedRule
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.rules.standard_rules import DEFAULT_MODEL_RULES, DEFAULT_PLAN_RULES
from pytest_delta_schema.state.spark_types import types_stay

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.diagnostics.errors import Location
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.rules.rule import ModelRule, PlanRule

_Subject_contra = TypeVar("_Subject_contra", contravariant=True)


class _Rule(Protocol[_Subject_contra]):
    def check(self, subject: _Subject_contra, /) -> Iterable[Diagnostic]: ...


_R = TypeVar("_R")


def _required_rules(value: Sequence[_R], name: str, standard: str) -> tuple[_R, ...]:
    """Return rules as a tuple; raise a ``DeclarationError`` if it is not a list of rules, or one of them is a class."""
    subject = f"{name} of PlanValidator"
    if isinstance(value, str) or not isinstance(value, Iterable):
        refuse_kind(subject, "a list of rules", value, f"write [*{standard}, MyRule()]")
    rules = tuple(value)
    for rule in rules:
        if isinstance(rule, type):
            refuse_kind(subject, "rules", rule, f"write {rule.__name__}()")
        if not hasattr(rule, "check"):
            refuse_kind(subject, "rules", rule, "give objects with a method check")
    return rules


class PlanValidator:
    """Runs rules over models and plans; the rules can be replaced and extended.

    Args:
        model_rules: The rules for declarations.
        plan_rules: The rules for plans.

    Raises:
        DeclarationError: If one of them is not a list of rules.
    """

    def __init__(
        self,
        *,
        model_rules: Sequence[ModelRule] = DEFAULT_MODEL_RULES,
        plan_rules: Sequence[PlanRule] = DEFAULT_PLAN_RULES,
    ) -> None:
        self.model_rules = _required_rules(model_rules, "model_rules", "DEFAULT_MODEL_RULES")
        self.plan_rules = _required_rules(plan_rules, "plan_rules", "DEFAULT_PLAN_RULES")

    def model_violations(self, models: Iterable[Table]) -> tuple[Diagnostic, ...]:
        """Return every violation in ``models``, table by table, with the locations of the declarations."""
        tables = sorted(required_tables(models, "PlanValidator"), key=lambda table: table.name)
        violations = [*_declared_twice(tables)]
        for table in tables:
            with types_stay():
                violations += _run(self.model_rules, table, table.qualified_name, table.origin.location)
        return tuple(violations)

    def plan_violations(self, plan: TablePlan) -> tuple[Diagnostic, ...]:
        """Return every violation in ``plan``, table by table."""
        if not isinstance(plan, TablePlan):
            refuse_kind("PlanValidator", "a TablePlan", plan, "give the result of TablePlanner.plan")
        actions: list[CreateTable | AlignTable] = sorted(plan.actions, key=lambda action: action.table)
        return tuple(fault for action in actions for fault in _run(self.plan_rules, action, str(action.table)))

    def validate_models(self, models: Iterable[Table]) -> None:
        """Raise if ``models`` break a rule.

        Raises:
            InvalidModelError: With all violations of all tables.
        """
        violations = self.model_violations(models)
        if violations:
            raise InvalidModelError(violations)

    def validate_plan(self, plan: TablePlan) -> None:
        """Raise if ``plan`` breaks a rule.

        Raises:
            UnsafePlanError: With all violations of all tables.
        """
        violations = self.plan_violations(plan)
        if violations:
            raise UnsafePlanError(violations)


def _declared_twice(tables: Sequence[Table]) -> Iterator[Diagnostic]:
    counts = Counter(table.name for table in tables)
    for name, count in counts.items():
        if count > 1:
            origins = " and ".join(str(table.origin) for table in tables if table.name == name)
            message = f"is declared {count} times, at {origins}"
            yield violation(DuplicateTable(), name, WHOLE_TABLE, message, "keep one declaration")


def _run(
    rules: Iterable[_Rule[_Subject_contra]], subject: _Subject_contra, table: str, location: Location | None = None
) -> Iterator[Diagnostic]:
    """Yield the violations of one model or plan.

    The location is for violations to which the rule has given none.
    """
    for rule in rules:
        try:
            # A rule that raises halfway is reported by its failure alone.
            violations = tuple(rule.check(subject))
            if violations:
                violations = tuple(_located(fault, location) for fault in violations)
        except Exception as error:  # noqa: BLE001 - rules are code of users: any exception is reported as their fault
            name = type(rule).__name__
            violations = (
                Diagnostic(
                    rule=name,
                    code=FailedRule.code,
                    table=table,
                    location=location,
                    path="",
                    message=f"rule {name} itself failed with {type(error).__name__}: {first_line(error)}",
                    remedy="fix the rule",
                ),
            )
        yield from violations


def _located(fault: Diagnostic, location: Location | None) -> Diagnostic:
    if not isinstance(fault, Diagnostic):
        msg = f"its check() yielded {fault!r}, which is not a Diagnostic"
        raise TypeError(msg)
    return fault if fault.location is not None else replace(fault, location=location)

"""The validator: runs every rule over everything and reports all violations at once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_delta_schema.errors import InvalidModelError, UnsafePlanError, Violation, because
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.rules.checks import InvalidCheckExpression, InvalidCheckName
from pytest_delta_schema.rules.columns import (
    DropWithoutColumnMapping,
    DropWithoutConsent,
    DuplicateColumn,
    InvalidColumnName,
    NoColumns,
    NotNullColumnAdded,
)
from pytest_delta_schema.rules.conversion import ConversionSourceMismatch
from pytest_delta_schema.rules.defaults import (
    GeneratedColumnDependency,
    InvalidColumnGeneration,
    UnsupportedGenerationChange,
)
from pytest_delta_schema.rules.foreign_keys import (
    DuplicateConstraint,
    ForeignKeyMismatch,
    ForeignKeyWithoutParentKey,
    InvalidForeignKeyColumn,
)
from pytest_delta_schema.rules.layout import InvalidLayout, RewriteWithoutConsent
from pytest_delta_schema.rules.primary_keys import (
    IncomparablePrimaryKey,
    InvalidPrimaryKeyColumn,
    NullablePrimaryKeyColumn,
    NullablePrimaryKeyColumnAdded,
    NullablePrimaryKeyColumnCreated,
    PrimaryKeyColumnMadeNullable,
)
from pytest_delta_schema.rules.properties import DuplicateProperty, ReservedProperty
from pytest_delta_schema.rules.property_policy import PropertyPolicyViolation
from pytest_delta_schema.rules.renames import InvalidRenameHint, RenameWithoutColumnMapping, UnusableRenameHint
from pytest_delta_schema.rules.risk import MaxRiskExceeded, ProtectedTable
from pytest_delta_schema.rules.tags import InvalidTag
from pytest_delta_schema.rules.texts import UnencodableText
from pytest_delta_schema.rules.types import NotNullInCollection, UnsupportedType, UnsupportedTypeChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.rule import ModelRule, PlanRule

_MODEL_RULES: tuple[ModelRule, ...] = (
    NoColumns(),
    DuplicateColumn(),
    InvalidPrimaryKeyColumn(),
    IncomparablePrimaryKey(),
    UnsupportedType(),
    NotNullInCollection(),
    InvalidColumnName(),
    ReservedProperty(),
    DuplicateProperty(),
    InvalidCheckName(),
    InvalidCheckExpression(),
    InvalidForeignKeyColumn(),
    ForeignKeyMismatch(),
    DuplicateConstraint(),
    InvalidRenameHint(),
    InvalidColumnGeneration(),
    InvalidLayout(),
    InvalidTag(),
    UnencodableText(),
)


def default_model_rules(policy: PropertyPolicy = PropertyPolicy()) -> tuple[ModelRule, ...]:  # noqa: B008 - a frozen value
    """Return the rules for every declaration, with what the project says about table properties.

    Args:
        policy: Whose which table properties are.
    """
    return (*_MODEL_RULES, PropertyPolicyViolation(policy))


DEFAULT_MODEL_RULES: tuple[ModelRule, ...] = default_model_rules()
"""What is checked of every declaration when the project says nothing."""


def default_plan_rules(
    consents: Iterable[Consent] = (), *, max_risk: Risk = Risk.DESTRUCTIVE, protected: Iterable[str] = ()
) -> tuple[PlanRule, ...]:
    """Return the rules for every plan, with what has been agreed to.

    Args:
        consents: What somebody has agreed to by name.
        max_risk: The highest class of risk that is allowed.
        protected: Patterns of the dotted names of tables that may not be changed at all.
    """
    agreed = tuple(consents)
    return (
        NotNullColumnAdded(),
        NullablePrimaryKeyColumnCreated(),
        PrimaryKeyColumnMadeNullable(),
        NullablePrimaryKeyColumnAdded(),
        NullablePrimaryKeyColumn(),
        DropWithoutConsent(agreed),
        DropWithoutColumnMapping(),
        UnsupportedTypeChange(),
        UnusableRenameHint(),
        RenameWithoutColumnMapping(),
        ForeignKeyWithoutParentKey(),
        UnsupportedGenerationChange(),
        GeneratedColumnDependency(),
        RewriteWithoutConsent(agreed),
        ConversionSourceMismatch(),
        MaxRiskExceeded(max_risk),
        ProtectedTable(protected),
    )


DEFAULT_PLAN_RULES: tuple[PlanRule, ...] = default_plan_rules()
"""What is checked of every plan when nobody has consented to anything."""

_Subject_contra = TypeVar("_Subject_contra", contravariant=True)


class _Rule(Protocol[_Subject_contra]):
    def check(self, subject: _Subject_contra, /) -> Iterable[Violation]: ...


class PlanValidator:
    """Judges models and plans by rules; the rules may be replaced and extended.

    Args:
        model_rules: What to check of declarations.
        plan_rules: What to check of plans.
    """

    def __init__(
        self,
        model_rules: Sequence[ModelRule] = DEFAULT_MODEL_RULES,
        plan_rules: Sequence[PlanRule] = DEFAULT_PLAN_RULES,
    ) -> None:
        self.model_rules = tuple(model_rules)
        self.plan_rules = tuple(plan_rules)

    def model_violations(self, models: Iterable[Table]) -> tuple[Violation, ...]:
        """Return every violation in ``models``, table by table."""
        tables = sorted(models, key=lambda table: table.name)
        return (
            *_declared_twice(tables),
            *(found for table in tables for found in _run(self.model_rules, table, table.qualified_name)),
        )

    def plan_violations(self, plan: TablePlan) -> tuple[Violation, ...]:
        """Return every violation in ``plan``, table by table."""
        actions: list[CreateTable | AlignTable] = sorted(plan.actions, key=lambda action: action.table)
        return tuple(found for action in actions for found in _run(self.plan_rules, action, str(action.table)))

    def validate_models(self, models: Iterable[Table]) -> None:
        """Make sure that ``models`` break no rule.

        Raises:
            InvalidModelError: With all violations of all tables.
        """
        violations = self.model_violations(models)
        if violations:
            raise InvalidModelError(violations)

    def validate_plan(self, plan: TablePlan) -> None:
        """Make sure that ``plan`` breaks no rule.

        Raises:
            UnsafePlanError: With all violations of all tables.
        """
        violations = self.plan_violations(plan)
        if violations:
            raise UnsafePlanError(violations)


def _declared_twice(tables: Sequence[Table]) -> Iterator[Violation]:
    counts = Counter(table.name for table in tables)
    for name, count in counts.items():
        if count > 1:
            places = " and ".join(str(table.origin) for table in tables if table.name == name)
            yield Violation(
                rule="DuplicateTable",
                code="DS101",
                table=str(name),
                path="",
                message=f"is declared {count} times, at {places}",
                remedy="keep one declaration",
            )


def _run(rules: Iterable[_Rule[_Subject_contra]], subject: _Subject_contra, table: str) -> Iterator[Violation]:
    for rule in rules:
        try:
            # All of it before any of it, so that a rule that breaks midway is reported once and whole.
            found = tuple(rule.check(subject))
        except Exception as error:  # noqa: BLE001 - rules are users' code; theirs is the fault, and it is said so
            name = type(rule).__name__
            found = (
                Violation(
                    rule=name,
                    code="DS100",
                    table=table,
                    path="",
                    message=f"rule {name} itself failed with {type(error).__name__}: {because(error)}",
                    remedy="mend the rule",
                ),
            )
        yield from found

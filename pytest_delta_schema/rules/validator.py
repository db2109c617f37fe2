"""The validator runs every rule over all models or plans and reports all violations at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_delta_schema.delta.clients import ClientFeatures
from pytest_delta_schema.delta.names import WHOLE_TABLE, PartPath, folded
from pytest_delta_schema.diagnostics.errors import Diagnostic, InvalidModelError, UnsafePlanError, first_line
from pytest_delta_schema.diagnostics.redaction import without_tokens
from pytest_delta_schema.models.arguments import kind_fault, refuse, refuse_kind
from pytest_delta_schema.models.table import required_tables
from pytest_delta_schema.plan.actions import TablePlan, change_lines
from pytest_delta_schema.plan.kinds import Risk
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.rules import clients, columns, keys, layout, properties, types
from pytest_delta_schema.rules.reported_rules import DuplicateTable, FailedRule
from pytest_delta_schema.rules.rule import BuiltInModelRule, BuiltInPlanRule, Fault, violation
from pytest_delta_schema.state.spark_types import types_stay

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.diagnostics.errors import Location
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.rule import ModelRule, PlanRule


class MaxRiskExceeded(BuiltInPlanRule):
    """A change is riskier than the run allows.

    Remedy: Raise ``--delta-max-risk``, or remove the change from the model.

    Example:
        settings = Settings(max_risk="metadata")
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
    """

    code = "DS212"

    def __init__(self, limit: Risk = Risk.DESTRUCTIVE) -> None:
        self.limit = limit

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        lines = [line for line in change_lines(action) if line.risk > self.limit]
        if lines:
            listed = ", ".join(f"{line.path} ({line.risk.label})" for line in lines)
            message = f"changes {listed} are riskier than {self.limit.label}, the maximum of this run"
            remedy = "raise --delta-max-risk, or remove them from the model"
            yield Fault(message, remedy, PartPath(lines[0].path))


class ProtectedTable(BuiltInPlanRule):
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

    def _faults(self, action: CreateTable | AlignTable) -> Iterator[Fault]:
        name = str(action.table)
        for pattern in self.patterns:
            if protects(pattern, name):
                message = f"is protected by the pattern {pattern} of the setting protected, so no run changes it"
                remedy = "change it in the way that was agreed on for it, or remove the pattern"
                yield Fault(message, remedy)
                return


def protects(pattern: str, name: str) -> bool:
    """Whether an entry of the setting ``protected`` is the dotted name of a table, or a glob pattern of it."""
    entry = folded(pattern)
    return name == entry or fnmatchcase(name, entry)


_OF_PACKAGE = ClientFeatures()

_MODEL_RULES: tuple[BuiltInModelRule, ...] = (
    columns.NoColumns(),
    columns.DuplicateColumn(),
    keys.InvalidPrimaryKeyColumn(),
    keys.IncomparablePrimaryKey(),
    types.UnsupportedType(),
    properties.ReservedProperty(),
    properties.DuplicateProperty(),
    keys.InvalidCheckName(),
    keys.InvalidCheckExpression(),
    keys.DuplicateCheck(),
    keys.InvalidForeignKeyColumn(),
    keys.ForeignKeyMismatch(),
    keys.DuplicateConstraint(),
    columns.InvalidRenameHint(),
    types.InvalidColumnGeneration(),
    layout.InvalidLayout(),
    properties.InvalidTag(),
    properties.UnencodableText(),
    keys.InvalidUniqueColumn(),
    keys.DuplicateUnique(),
    properties.UnknownReplacement(),
)


def default_model_rules(
    *,
    policy: PropertyPolicy = PropertyPolicy(),  # noqa: B008 - a frozen value
    client_features: ClientFeatures = _OF_PACKAGE,
) -> tuple[BuiltInModelRule, ...]:
    """Return the rules for every declaration, and what the project says about table properties and clients.

    Args:
        policy: Which table properties the project manages, requires and forbids.
        client_features: Which table features each client supports.
    """
    return (
        *_MODEL_RULES,
        properties.UnknownProperty(policy),
        properties.InvalidPropertyValue(policy),
        properties.PropertyPolicyViolation(policy),
        clients.FeatureUnsupportedByClient(client_features),
    )


DEFAULT_MODEL_RULES: tuple[BuiltInModelRule, ...] = default_model_rules()
"""The rules for every declaration without a policy for table properties."""


def default_plan_rules(
    consents: Iterable[Consent] = (),
    *,
    max_risk: Risk = Risk.DESTRUCTIVE,
    protected: Iterable[str] = (),
    runs_data_checks: bool = True,
    client_features: ClientFeatures = _OF_PACKAGE,
) -> tuple[BuiltInPlanRule, ...]:
    """Return the rules for every plan, with the consents and limits of a run.

    Args:
        consents: Losses and rewrites that are permitted by name.
        max_risk: The highest risk that is allowed.
        protected: Glob patterns of the dotted names of tables that may not be changed.
        runs_data_checks: Whether data checks run before a plan.
        client_features: Which table features each client supports.
    """
    agreed = tuple(consents)
    return (
        columns.InvalidColumnName(),
        columns.ColumnNameTakenBySpark(),
        columns.UnsupportedMappingMode(),
        columns.NotNullInCollection(),
        columns.NotNullColumnAdded(),
        keys.NullablePrimaryKeyColumnCreated(),
        keys.PrimaryKeyColumnMadeNullable(),
        keys.NullablePrimaryKeyColumnAdded(),
        keys.NullablePrimaryKeyColumn(),
        columns.DropWithoutConsent(agreed),
        columns.DropWithoutColumnMapping(),
        types.UnsupportedTypeChange(),
        types.TypeChangeUnsupportedByIceberg(),
        types.UnknownTypeChange(),
        columns.UnusableRenameHint(),
        columns.RenameWithoutColumnMapping(),
        keys.ForeignKeyWithoutParentKey(),
        keys.ForeignKeyOfUnknownRely(),
        types.UnsupportedGenerationChange(),
        types.GeneratedColumnDependency(),
        layout.RewriteWithoutConsent(agreed),
        layout.ConversionSourceMismatch(),
        MaxRiskExceeded(max_risk),
        ProtectedTable(protected),
        keys.RelyWithoutDataCheck(runs_data_checks=runs_data_checks),
        clients.TableUnusableByClient(client_features),
    )


DEFAULT_PLAN_RULES: tuple[PlanRule, ...] = default_plan_rules()
"""The rules for every plan without any consent."""


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


_R = TypeVar("_R")


def _required_rules(value: Sequence[_R], name: str, standard: str) -> tuple[_R, ...]:
    """Return rules as a tuple; raise a ``DeclarationError`` if it is not a list of rules, or one of them is a class."""
    subject = f"{name} of PlanValidator"
    if isinstance(value, str) or not isinstance(value, Iterable):
        refuse_kind(subject, "a list of rules", value, f"write [*{standard}, MyRule()]")
    rules = tuple(value)
    refuse(*(_rule_fault(rule, subject) for rule in rules))
    return rules


def _rule_fault(rule: object, subject: str) -> str:
    if isinstance(rule, type):
        return kind_fault(subject, "rules", rule, f"write {rule.__name__}()")
    return "" if hasattr(rule, "check") else kind_fault(subject, "rules", rule, "give objects with a method check")


def _declared_twice(tables: Sequence[Table]) -> Iterator[Diagnostic]:
    counts = Counter(table.name for table in tables)
    for name, count in counts.items():
        if count > 1:
            origins = " and ".join(str(table.origin) for table in tables if table.name == name)
            message = f"is declared {count} times, at {origins}"
            yield violation(DuplicateTable(), name, WHOLE_TABLE, message, "keep one declaration")


_Subject_contra = TypeVar("_Subject_contra", contravariant=True)


class _Rule(Protocol[_Subject_contra]):
    def check(self, subject: _Subject_contra, /) -> Iterable[Diagnostic]: ...


def _run(
    rules: Iterable[_Rule[_Subject_contra]], subject: _Subject_contra, table: str, location: Location | None = None
) -> Iterator[Diagnostic]:
    """Yield the violations of one model or plan."""
    for rule in rules:
        try:
            # A rule that raises halfway is reported by its failure alone.
            violations = tuple(rule.check(subject))
            if violations:
                violations = tuple(_shown(fault, location) for fault in violations)
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


def _shown(fault: Diagnostic, location: Location | None) -> Diagnostic:
    if not isinstance(fault, Diagnostic):
        msg = f"its check() yielded {fault!r}, which is not a Diagnostic"
        raise TypeError(msg)
    return replace(fault, message=without_tokens(fault.message), location=fault.location or location)

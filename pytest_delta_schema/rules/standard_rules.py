"""The standard rules for declarations and for plans, with the settings of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.clients.client_features import ClientFeatures
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.rules.aspects.checks import DuplicateCheck, InvalidCheckExpression, InvalidCheckName
from pytest_delta_schema.rules.aspects.column_names import (
    ColumnNameTakenBySpark,
    InvalidColumnName,
    UnsupportedMappingMode,
)
from pytest_delta_schema.rules.aspects.columns import (
    DropWithoutColumnMapping,
    DropWithoutConsent,
    DuplicateColumn,
    NoColumns,
    NotNullColumnAdded,
)
from pytest_delta_schema.rules.aspects.conversion import ConversionSourceMismatch
from pytest_delta_schema.rules.aspects.defaults import (
    GeneratedColumnDependency,
    InvalidColumnGeneration,
    UnsupportedGenerationChange,
)
from pytest_delta_schema.rules.aspects.foreign_keys import (
    DuplicateConstraint,
    ForeignKeyMismatch,
    ForeignKeyOfUnknownRely,
    ForeignKeyWithoutParentKey,
    InvalidForeignKeyColumn,
)
from pytest_delta_schema.rules.aspects.layout import InvalidLayout, RewriteWithoutConsent
from pytest_delta_schema.rules.aspects.nested_nullability import NotNullInCollection
from pytest_delta_schema.rules.aspects.primary_keys import (
    IncomparablePrimaryKey,
    InvalidPrimaryKeyColumn,
    NullablePrimaryKeyColumn,
    NullablePrimaryKeyColumnAdded,
    NullablePrimaryKeyColumnCreated,
    PrimaryKeyColumnMadeNullable,
    RelyWithoutDataCheck,
)
from pytest_delta_schema.rules.aspects.properties import (
    DuplicateProperty,
    PropertyPolicyViolation,
    ReservedProperty,
    UnknownProperty,
)
from pytest_delta_schema.rules.aspects.renames import InvalidRenameHint, RenameWithoutColumnMapping, UnusableRenameHint
from pytest_delta_schema.rules.aspects.tags import InvalidTag
from pytest_delta_schema.rules.aspects.types import (
    TypeChangeUnsupportedByIceberg,
    UnknownTypeChange,
    UnsupportedType,
    UnsupportedTypeChange,
)
from pytest_delta_schema.rules.aspects.unique import DuplicateUnique, InvalidUniqueColumn
from pytest_delta_schema.rules.clients import FeatureUnsupportedByClient, TableUnusableByClient
from pytest_delta_schema.rules.deprecations import UnknownReplacement
from pytest_delta_schema.rules.risk import MaxRiskExceeded, ProtectedTable
from pytest_delta_schema.rules.texts import UnencodableText

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.rule import BuiltInModelRule, BuiltInPlanRule, PlanRule

_MODEL_RULES: tuple[BuiltInModelRule, ...] = (
    NoColumns(),
    DuplicateColumn(),
    InvalidPrimaryKeyColumn(),
    IncomparablePrimaryKey(),
    UnsupportedType(),
    ReservedProperty(),
    DuplicateProperty(),
    InvalidCheckName(),
    InvalidCheckExpression(),
    DuplicateCheck(),
    InvalidForeignKeyColumn(),
    ForeignKeyMismatch(),
    DuplicateConstraint(),
    InvalidRenameHint(),
    InvalidColumnGeneration(),
    InvalidLayout(),
    InvalidTag(),
    UnencodableText(),
    InvalidUniqueColumn(),
    DuplicateUnique(),
    UnknownReplacement(),
)


_OF_PACKAGE = ClientFeatures()


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
        UnknownProperty(policy),
        PropertyPolicyViolation(policy),
        FeatureUnsupportedByClient(client_features),
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
        InvalidColumnName(),
        ColumnNameTakenBySpark(),
        UnsupportedMappingMode(),
        NotNullInCollection(),
        NotNullColumnAdded(),
        NullablePrimaryKeyColumnCreated(),
        PrimaryKeyColumnMadeNullable(),
        NullablePrimaryKeyColumnAdded(),
        NullablePrimaryKeyColumn(),
        DropWithoutConsent(agreed),
        DropWithoutColumnMapping(),
        UnsupportedTypeChange(),
        TypeChangeUnsupportedByIceberg(),
        UnknownTypeChange(),
        UnusableRenameHint(),
        RenameWithoutColumnMapping(),
        ForeignKeyWithoutParentKey(),
        ForeignKeyOfUnknownRely(),
        UnsupportedGenerationChange(),
        GeneratedColumnDependency(),
        RewriteWithoutConsent(agreed),
        ConversionSourceMismatch(),
        MaxRiskExceeded(max_risk),
        ProtectedTable(protected),
        RelyWithoutDataCheck(runs_data_checks=runs_data_checks),
        TableUnusableByClient(client_features),
    )


DEFAULT_PLAN_RULES: tuple[PlanRule, ...] = default_plan_rules()
"""The rules for every plan without any consent."""

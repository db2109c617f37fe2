"""Build the parts of the engine from settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.project_rules import load_rules
from pytest_delta_schema.delta.clients.client_features import ClientFeatures
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.execute.action_runner import ActionRunner
from pytest_delta_schema.execute.preflight import COUNT, OFF, Preflight
from pytest_delta_schema.models.clients import client_faults
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.rules.standard_rules import default_model_rules, default_plan_rules
from pytest_delta_schema.rules.validator import PlanValidator

if TYPE_CHECKING:
    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.execute.protocols.catalog import DeltaDDL


def planner_of(settings: Settings) -> TablePlanner:
    """Return the planner that compares as the settings say."""
    return TablePlanner(enable=settings.enable_features, policy=property_policy_of(settings))


def property_policy_of(settings: Settings) -> PropertyPolicy:
    """Return which table properties the project manages."""
    return PropertyPolicy(settings.properties, keeps_record=settings.owned_properties)


def client_features_of(settings: Settings) -> ClientFeatures:
    """Return which table features each client supports, with the corrections of the project.

    Raises:
        DeclarationError: If a client, or a correction, names nothing that is known.
    """
    faults = client_faults(settings.clients)
    try:
        features = ClientFeatures(settings.client_features)
    except ValueError as error:
        faults.append(str(error))
    if faults:
        msg = "; ".join(faults)
        raise DeclarationError(msg)
    return features


def validator_of(settings: Settings) -> PlanValidator:
    """Return the validator with the standard rules and those of the project.

    Raises:
        DeclarationError: If a rule that is named cannot be loaded, or a client is not known.
    """
    model_rules, plan_rules = load_rules(settings.rules)
    client_features = client_features_of(settings)
    standard = default_plan_rules(
        settings.consents,
        max_risk=Risk[settings.max_risk.upper()],
        protected=settings.protected,
        runs_data_checks=settings.preflight != OFF,
        client_features=client_features,
    )
    return PlanValidator(
        model_rules=[
            *default_model_rules(policy=property_policy_of(settings), client_features=client_features),
            *model_rules,
            *settings.model_rules,
        ],
        plan_rules=[*standard, *plan_rules, *settings.plan_rules],
    )


def preflight_of(settings: Settings) -> Preflight:
    """Return how an apply runs its data checks."""
    return Preflight(settings.preflight or COUNT, samples=settings.preflight_samples)


def runner_of(catalog: DeltaDDL, settings: Settings) -> ActionRunner:
    """Return the runner that changes a catalog as the settings say."""
    return ActionRunner.over(catalog, preflight=preflight_of(settings), restores=settings.on_failure == "restore")

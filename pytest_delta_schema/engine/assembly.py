"""Build the parts of the engine from settings."""

from __future__ import annotations

from copy import copy
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.project_rules import load_rules
from pytest_delta_schema.delta.clients.client_features import ClientFeatures
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.execute.action_runner import ActionRunner
from pytest_delta_schema.execute.preflight import COUNT, OFF, Preflight
from pytest_delta_schema.models.binding import Binding
from pytest_delta_schema.models.clients import client_faults
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.rules.standard_rules import default_model_rules, default_plan_rules
from pytest_delta_schema.rules.validator import PlanValidator

if TYPE_CHECKING:
    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.execute.protocols import DeltaDDL


def planner_of(settings: Settings) -> TablePlanner:
    """Return the planner that compares as the settings say."""
    return TablePlanner(settings.enable_features, property_policy_of(settings))


def property_policy_of(settings: Settings) -> PropertyPolicy:
    """Return which table properties the project manages."""
    return PropertyPolicy(settings.properties, settings.owned_properties)


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
            *default_model_rules(property_policy_of(settings), client_features),
            *model_rules,
            *settings.model_rules,
        ],
        plan_rules=[*standard, *plan_rules, *settings.plan_rules],
    )


def preflight_of(settings: Settings) -> Preflight:
    """Return how an apply runs its data checks."""
    return Preflight(settings.preflight or COUNT, settings.preflight_samples)


def runner_of(catalog: DeltaDDL, settings: Settings) -> ActionRunner:
    """Return the runner that changes a catalog as the settings say."""
    return ActionRunner.over(catalog, preflight_of(settings), restores=settings.on_failure == "restore")


def declared(table: Table, settings: Settings) -> Table:
    """Return a model with the default properties and the clients of the project, still under its own name.

    Args:
        table: The model; one that is bound already is returned as it is.
        settings: The settings.
    """
    defaults = dict(settings.default_properties)
    clients = table.clients or settings.clients
    if table.is_bound or (clients == table.clients and not defaults.keys() - table.table_properties.keys()):
        return table
    model = copy(table)
    model.table_properties = {**defaults, **table.table_properties}
    model.clients = clients
    return model


def bound(table: Table, settings: Settings) -> Table:
    """Return the table that a model maps to in the catalog, with the default properties and clients of the project.

    Args:
        table: The model; one that is bound already is returned as it is.
        settings: The settings.
    """
    if table.is_bound:
        return table
    model = declared(table, settings)
    mapped = Binding(settings.bindings).table(model) if settings.bindings else model
    if mapped is not table:
        mapped.is_bound = True
    return mapped


def model_of_copy(table: Table, settings: Settings, **changes: Any) -> Table:
    """Return a model for a table of another name, with the same declaration.

    It is bound, so that bindings do not apply to it. It has no foreign keys, because the parents of a copy have other
    names, too, and it converts no files, because those belong to the table of the model.

    Args:
        table: The model.
        settings: The settings.
        changes: The arguments of :class:`Table` that differ, such as the names.
    """
    values: dict[str, Any] = {field.name: getattr(table, field.name) for field in fields(table) if field.init}
    made = declared(Table(**{**values, "foreign_keys": (), "convert_from": None, **changes}), settings)
    made.is_bound = True
    return made

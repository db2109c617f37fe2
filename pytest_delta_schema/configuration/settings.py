"""Everything that changes a verdict, as one frozen value, and the settings in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.settings import innermost

if TYPE_CHECKING:
    from os import PathLike

    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import PropertyValue
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.policy import CompatibilityEntry
    from pytest_delta_schema.rules.rule import ModelRule, PlanRule
    from pytest_delta_schema.settings.table import FailurePolicy, PreflightMode, PropertyMode, RiskLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of comparison, validation and apply.

    Args:
        properties: Glob patterns of table properties, each with its mode; the longest pattern that matches decides.
        default_properties: Table properties, each with its value, that every model has unless it declares the key.
        enable_features: Table features that a plan may raise without their being declared, such as ``typeWidening``.
        owned_properties: Whether a table records the property keys that its model has set.
        clients: The clients that read and write tables, such as ``trino>=470``, unless a table lists its own.
        client_features: Corrections of the table of clients, such as ``("trino.clustering", "482")``.
        consents: All consents, whatever their source.
        project_consents: Those of ``consents`` that a complete run must need.
        must_match: Those of ``consents`` that must name something on a table of the run.
        compatibility: What ``--delta-against`` accepts when a contract changes, by paths of tables.
        max_risk: The highest risk that a plan may have.
        protected: Glob patterns of the dotted names of tables that an apply may not change.
        bindings: Prefixes of names in models, each with the prefix that it maps to; in lower case, of one length.
        preflight: How data checks run; ``None`` counts rows before an apply, and runs none where nothing is changed.
        preflight_samples: How many rows a failed data check names by their keys at most; 0 for none.
        on_failure: Whether an apply leaves a table that it could not finish, or restores its version before the apply.
        rules: Rules of the project as dotted names such as ``shop.rules:NoFloats``, besides the standard ones.
        checks_follow: Whether snapshots show the checks of a new table after its creation: the backend of the project
            is ``databricks``.
        model_rules: Further rules for declarations.
        plan_rules: Further rules for plans.
    """

    properties: tuple[tuple[str, PropertyMode], ...] = ()
    default_properties: tuple[tuple[str, PropertyValue], ...] = ()
    enable_features: tuple[str, ...] = ()
    owned_properties: bool = False
    clients: tuple[str, ...] = ()
    client_features: tuple[tuple[str, str], ...] = ()
    consents: tuple[Consent, ...] = ()
    project_consents: tuple[Consent, ...] = ()
    must_match: tuple[Consent, ...] = ()
    compatibility: tuple[CompatibilityEntry, ...] = ()
    max_risk: RiskLabel = "destructive"
    protected: tuple[str, ...] = ()
    bindings: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    preflight: PreflightMode | None = None
    preflight_samples: int = 5
    on_failure: FailurePolicy = "leave"
    rules: tuple[str, ...] = ()
    checks_follow: bool = False
    model_rules: tuple[ModelRule, ...] = ()
    plan_rules: tuple[PlanRule, ...] = ()

    @classmethod
    def from_project(cls, folder: str | PathLike[str]) -> Settings:
        """Read the settings of a project from its ``pyproject.toml``, without pytest.

        The section ``[tool.pytest_delta_schema]`` is read from the nearest file in ``folder`` or above it. Without one,
        all settings have their defaults. Settings that do not change a verdict, such as ``backend``, are not part of
        the result.

        Args:
            folder: The folder of the project, or one inside of it.

        Raises:
            ConfigurationError: With every fault of the section, every expired consent, and every section of the
                project whose name is misspelt.
        """
        from pytest_delta_schema.configuration.project_settings import project_settings  # noqa: PLC0415 - 9 ms in every run

        return cls(**project_settings(folder))

    def for_scratch_tables(self) -> Settings:
        """Return the settings for tables that tests create: those of declarations, and none of applies."""
        return Settings(
            properties=self.properties,
            default_properties=self.default_properties,
            enable_features=self.enable_features,
            owned_properties=self.owned_properties,
            clients=self.clients,
            client_features=self.client_features,
            rules=self.rules,
            model_rules=self.model_rules,
            plan_rules=self.plan_rules,
        )


def current_settings() -> Settings:
    """Return the settings in force: those of the innermost pytest run of this process, else the defaults."""
    pushed = innermost()
    settings: Settings = Settings() if pushed is None else pushed.settings()
    return settings


def current_catalog() -> Catalog | None:
    """Return the catalog of the innermost pytest run: the fixture ``delta_catalog`` of its running test."""
    pushed = innermost()
    catalog: Catalog | None = None if pushed is None else pushed.catalog()
    return catalog

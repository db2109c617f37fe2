"""Validate models and plans: rules, and the consents that allow what some of them refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.rules.consent import Consent as Consent
    from pytest_delta_schema.rules.rule import ModelRule as ModelRule
    from pytest_delta_schema.rules.rule import PlanRule as PlanRule
    from pytest_delta_schema.rules.validator import DEFAULT_MODEL_RULES as DEFAULT_MODEL_RULES
    from pytest_delta_schema.rules.validator import DEFAULT_PLAN_RULES as DEFAULT_PLAN_RULES
    from pytest_delta_schema.rules.validator import PlanValidator as PlanValidator
    from pytest_delta_schema.rules.validator import default_model_rules as default_model_rules
    from pytest_delta_schema.rules.validator import default_plan_rules as default_plan_rules

__getattr__, __dir__ = lazy_exports(__name__)

"""What the rules say of models and of plans, as text with a line for each violation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import Consent, PlanValidator, default_plan_rules
from support.models import NAME, catalog

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema import Table
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.state import TableState


def violations_of(*models: Table, code: str = "") -> str:
    """Return what the standard rules say of models, without the name of the usual table; ``code`` chooses one rule."""
    return texts_of(PlanValidator().model_violations(models), code)


def violations_of_plan(model: Table, *there: TableState, consents: Iterable[Consent] = (), code: str = "") -> str:
    """Return what the standard rules say of the plan for a model."""
    plan = TablePlanner().plan([model], catalog(*there))
    return texts_of(PlanValidator(plan_rules=default_plan_rules([*consents])).plan_violations(plan), code)


def coded_violations_of(model: Table) -> str:
    """Return code and path as well, in front of each violation."""
    return "\n".join(
        f"{violation.code} {violation.path}: {violation.message}; {violation.remedy}"
        for violation in PlanValidator().model_violations([model])
    )


def texts_of(violations: Iterable[Diagnostic], code: str = "") -> str:
    """Return a line for each violation."""
    chosen = (str(violation) for violation in violations if violation.code.startswith(code))
    return "\n".join(text.removeprefix(f"{NAME}: ") for text in chosen)

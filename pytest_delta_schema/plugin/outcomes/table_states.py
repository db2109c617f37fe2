"""Send the states of tables with the reports of their checks, also through xdist."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.engine.outcomes.outcome import CheckKind
from pytest_delta_schema.plugin.options.option_values import APPLY, DRIFT
from pytest_delta_schema.plugin.run.stash_keys import RUN
from pytest_delta_schema.state.json_format.json_form import state_json

if TYPE_CHECKING:
    import pytest

    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome

_ATTRIBUTE = "delta_schema_states"


class TableStates(NamedTuple):
    """The states of one table as JSON values; ``None`` if one was not sent, or was not read."""

    declared: dict[str, Any] | None = None
    observed: dict[str, Any] | None = None


def attach_states(item: pytest.Item, report: pytest.TestReport, outcome: TableOutcome) -> None:
    """Attach the states of the table of a check to its report: for each table once, and none of an invalid model."""
    run, table = item.config.stash[RUN], getattr(getattr(item, "cls", None), "table", None)
    sender = {DRIFT: CheckKind.DRIFT, APPLY: CheckKind.APPLY}.get(run.options.mode or "", CheckKind.RULES)
    if table is None or outcome.check is not sender or run.declarations.violations(table):
        return
    declared, observed = run.states(table)
    states = TableStates(state_json(declared), None if observed is None else state_json(observed))
    setattr(report, _ATTRIBUTE, json.dumps(states))


def states_of(report: pytest.TestReport) -> TableStates:
    """Return the states that a report carries."""
    text = getattr(report, _ATTRIBUTE, None)
    return TableStates() if text is None else TableStates(*json.loads(text))

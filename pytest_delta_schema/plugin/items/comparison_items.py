"""A table, compared with the contracts of the past: ``models.py::dev.silver.orders::compat``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.engine.outcomes.outcome import CheckKind, Status
from pytest_delta_schema.plugin.compat.pytest_compat import skip_item
from pytest_delta_schema.plugin.items.project_items import ProjectItem
from pytest_delta_schema.plugin.items.table_items import StandardContract, check, report_unless_shown
from pytest_delta_schema.plugin.outcomes.failures import one_line
from pytest_delta_schema.plugin.outcomes.outcome_report import note_outcome, report_outcome
from pytest_delta_schema.plugin.run.stash_keys import RUN
from pytest_delta_schema.report.text.outcome_text import headline

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.models.table import Table

COMPAT = CheckKind.COMPAT.value


class ComparedContract:
    """The check of every table with ``--delta-against``."""

    table: Table

    @check
    def compat(self, request: pytest.FixtureRequest) -> None:
        """The change of the declaration breaks nobody."""
        outcome = request.config.stash[RUN].require_comparison().outcome(self.table)
        _skip_if_unjudged(request.node, outcome)
        report_unless_shown(request, self.table, outcome)


@cache
def with_comparison(contract: type[StandardContract]) -> type[StandardContract]:
    """Return a contract with the comparison behind its other checks."""
    return type(f"{contract.__name__}WithComparison", (ComparedContract, contract), {})


class UndeclaredItem(ProjectItem):
    """A table that is not declared any more, or a snapshot of which not even the table is known."""

    def __init__(self, *, outcome: Callable[[], TableOutcome], **others: Any) -> None:
        super().__init__(**others)
        self._outcome = outcome

    def runtest(self) -> None:
        """Report whom it breaks."""
        outcome = self._outcome()
        _skip_if_unjudged(self, outcome)
        report_outcome(self, outcome)


def _skip_if_unjudged(item: pytest.Item, outcome: TableOutcome) -> None:
    """Skip an item whose table is not judged: it neither passes nor fails."""
    if outcome.status is Status.UNJUDGED:
        note_outcome(item, outcome)
        skip_item(one_line([headline(outcome)]))

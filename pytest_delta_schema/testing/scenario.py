"""A scenario: a table, a changed model, the expected plan and SQL, and the expected final state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.plan import PropertyPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema import Table

Rows = tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One case that every backend passes.

    Plan and SQL are written out. Afterwards the backend holds what the model wants or, if the plan is refused, what it
    held before.

    Args:
        name: Topic and case, such as ``checks/check_dropped``.
        description: What the name leaves out.
        before: The model that created the table; ``None`` if there is no table.
        parquet: Columns and partitions of a parquet table that exists instead of a Delta table.
        after: The model that is applied.
        rows: Rows in the table before the apply.
        other_tables: Other existing tables with their rows, such as parents of foreign keys.
        external_properties: Properties that other tools have set on the table.
        property_policy: The property policy of the project.
        consents: Consents to drops and rewrites.
        requires_unset: Properties that the table must not have before the apply; the scenario is skipped where a
            catalog imposes one of them.
        plan: The expected change lines, in order.
        sql: The expected script.
        reported: The expected lines of differences that are reported and not changed.
        refused_by: Codes of the violations that refuse the plan; empty if it is applied.
        commits: How many commits the table gets; ``None`` if that does not matter.
        rows_after: The expected rows by column; ``None`` if they are those of before.
    """

    name: str
    description: str = ""
    before: Table | None
    parquet: Table | None = None
    after: Table
    rows: Rows = ()
    other_tables: tuple[tuple[Table, Rows], ...] = ()
    external_properties: Mapping[str, str] = field(default_factory=dict)
    property_policy: PropertyPolicy = field(default_factory=PropertyPolicy)
    consents: tuple[str, ...] = ()
    requires_unset: tuple[str, ...] = ()
    plan: str
    sql: str
    reported: str = ""
    refused_by: tuple[str, ...] = ()
    commits: int | None = None
    rows_after: Rows | None = None

    @property
    def is_refused_by_rules(self) -> bool:
        """Whether rules refuse the plan without a data check."""
        return bool(self.refused_by) and not any(code.startswith("DS3") for code in self.refused_by)

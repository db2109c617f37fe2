"""Properties of the reports of checks: JUnit has them, xdist transfers them, and other tests have none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import printed_line

if TYPE_CHECKING:
    import pytest

PREFIX = "delta."
TABLE, CHECK, UNUSED = "table", "check", "unused"


def add_properties(item: pytest.Item, **values: object) -> None:
    """Add properties to the report of ``item``, each one line of harmless characters; empty ones are left out.

    A property that it has already, because another plugin runs the item again, is not added twice.
    """
    for name, value in values.items():
        pair = (PREFIX + name, printed_line(value))
        if value not in (None, "") and pair not in item.user_properties:
            item.user_properties.append(pair)


def properties_of(report: pytest.TestReport) -> dict[str, str]:
    """Return the properties of a report, without their prefix; empty for tests of others."""
    return {name.removeprefix(PREFIX): str(value) for name, value in report.user_properties if name.startswith(PREFIX)}

"""Decide what a finding means for a project: it fails a check, is allowed, or is only shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_delta_schema.compatibility.faults.column_faults import ColumnRemoved
from pytest_delta_schema.compatibility.faults.table_faults import TableRemoved
from pytest_delta_schema.delta.names.column_path import TABLE
from pytest_delta_schema.rules.consent import BREAK, NeededConsent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from pytest_delta_schema.compatibility.finding import CompatibilityFinding
    from pytest_delta_schema.models.deprecation import Deprecated
    from pytest_delta_schema.rules.compatibility_policy import CompatibilityPolicy
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.state.states import TableState

DecisionResult = Literal["fails", "not judged", "tolerated", "allowed", "other role"]
"""``tolerated``: the policy of the project lets its verdict pass; ``other role``: it does not judge that role."""

_DROPS = frozenset({ColumnRemoved.code, TableRemoved.code})


class Decision(NamedTuple):
    """The meaning of a finding for a project; of one that is not safe."""

    finding: CompatibilityFinding
    result: DecisionResult
    reason: str = ""
    """Why it is allowed, or why its deprecation does not allow it yet; ``""`` if there is none."""
    consent: Consent | None = None
    """The consent that allows it."""

    @property
    def needs_deprecation(self) -> bool:
        """Whether it drops what the released contract does not deprecate."""
        return self.finding.code in _DROPS and not self.reason


def decided(
    findings: Iterable[CompatibilityFinding],
    policy: CompatibilityPolicy,
    *,
    consents: Iterable[Consent],
    released: TableState | None,
    today: date,
) -> tuple[Decision, ...]:
    """Return what findings on one table mean; those that are safe are left out.

    ``released`` is the contract with which it was compared, whose deprecations count.
    """
    given = [consent for consent in consents if consent.action == BREAK]
    return tuple(
        _decision(finding, policy, given, released, today) for finding in findings if finding.verdict != "safe"
    )


def _decision(
    finding: CompatibilityFinding,
    policy: CompatibilityPolicy,
    consents: Iterable[Consent],
    released: TableState | None,
    today: date,
) -> Decision:
    if finding.role not in policy.roles:
        return Decision(finding, "other role")
    needed = NeededConsent(action=BREAK, table=finding.table, path=finding.column)
    consent = next((consent for consent in consents if consent.covers(needed)), None)
    if consent is not None:
        until = f" until {consent.expires}" if consent.expires else ""
        because = f" ({consent.reason})" if consent.reason else ""
        return Decision(finding, "allowed", f"by the consent '{consent}'{until}{because}", consent)
    reason = ""
    if finding.code in _DROPS:
        deprecation = None if released is None else _deprecation(finding, released)
        if deprecation is not None:
            reason = "; ".join(_obstacles(deprecation, policy.min_notice, today))
            if not reason:
                return Decision(finding, "allowed", f"by its deprecation of {deprecation.since}")
    if finding.verdict == "not judged":
        return Decision(finding, "not judged", reason)
    fails = policy.fail_on == "dangerous" or (policy.fail_on == "breaking" and finding.verdict == "breaking")
    return Decision(finding, "fails", reason) if fails else Decision(finding, "tolerated")


def _deprecation(finding: CompatibilityFinding, released: TableState) -> Deprecated | None:
    """Return the deprecation of what a finding drops: its own, or that of a column or the table around it."""
    path = finding.column
    while path:
        if path in released.deprecated:
            return released.deprecated[path]
        path = path.parent
    return released.deprecated.get(TABLE)


def _obstacles(deprecation: Deprecated, min_notice: int, today: date) -> Iterator[str]:
    """Yield why what is deprecated may not be dropped yet."""
    if deprecation.sunset is not None and today < deprecation.sunset:
        yield f"its sunset is {deprecation.sunset}, and today is {today} (UTC)"
    days = (today - deprecation.since).days
    if days < min_notice:
        yield f"it is deprecated since {deprecation.since}, which is {days} of {min_notice} days of notice"

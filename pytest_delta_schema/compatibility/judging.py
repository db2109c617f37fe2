"""Judge a contract against the released one, by role."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_delta_schema.compatibility.changes import StatePair, contract_changes, unjudged, whole_table
from pytest_delta_schema.compatibility.column_faults import (
    ColumnOrderNotKept,
    ColumnRemoved,
    FieldAdded,
    NullableColumnAdded,
)
from pytest_delta_schema.compatibility.effects import Judged, effects_on
from pytest_delta_schema.compatibility.roles import VERDICTS
from pytest_delta_schema.compatibility.table_faults import AdditiveEvolution, AspectNotOwned, TableRemoved
from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta.clients import ClientFeatures
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.models.arguments import refuse_kind
from pytest_delta_schema.models.clients import require_clients
from pytest_delta_schema.models.names import require_names
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.rules.consent import BREAK, NeededConsent
from pytest_delta_schema.rules.policy import part_word
from pytest_delta_schema.settings.table import DEFAULT_ROLES, ROLE_WORDS, ROLES
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import NO_DEPRECATIONS, TableState
from pytest_delta_schema.write_check.verdict import require_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from pytest_delta_schema.compatibility.changes import ContractChange
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict
    from pytest_delta_schema.diagnostics.errors import Severity
    from pytest_delta_schema.models.column import Deprecated
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.policy import CompatibilityPolicy
    from pytest_delta_schema.settings.table import Role
    from pytest_delta_schema.state.states import Deprecations


_SEVERITIES: dict[CompatibilityVerdict, Severity] = {
    "breaking": "error",
    "not judged": "error",
    "dangerous": "warning",
    "safe": "note",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompatibilityFinding:
    """The effect of one change of a contract on one role.

    Args:
        code: The code of the change, such as ``DC101``.
        rule: The name of the change, such as ``ColumnRemoved``.
        role: Whom it concerns: ``readers``, ``readers-by-position``, ``readers-by-path``, ``streams``,
            ``tracked-streams``, ``change-feed``, ``writers``, ``writers-by-position``, ``writers-by-merge`` or
            ``clients``.
        verdict: ``breaking``, ``dangerous``, ``safe`` or ``not judged``.
        table: Name of the table in the contract.
        path: The part of the table, such as ``columns.id``; ``""`` for the table itself.
        column: The column or field under its released name; empty for the table.
        before: What the released contract has.
        after: What the new one has.
        reason: What the role meets.
        upgrade_first: Who has to do what, and when: ``upgrade readers before this release``; ``""`` for nobody.
        remedy: What else helps; ``""`` for nothing.
        subject: What messages call the part.
    """

    code: str
    rule: str
    role: Role
    verdict: CompatibilityVerdict
    table: QualifiedName
    path: str = ""
    column: ColumnPath = TABLE
    before: str
    after: str
    reason: str
    upgrade_first: str = ""
    remedy: str = ""
    subject: str = ""

    @property
    def message(self) -> str:
        """The fact and its reason, without the name of the table."""
        return f"{self.subject}: {self.before} -> {self.after}: {ROLE_WORDS[self.role]} {self.reason}"

    @property
    def advice(self) -> str:
        """Who is upgraded first, and what else helps."""
        return "; ".join(part for part in (self.upgrade_first, self.remedy) if part)

    @property
    def consent(self) -> str:
        """The narrowest consent that allows it: ``break dev.silver.orders.note``; ``""`` for what is safe."""
        return "" if self.verdict == "safe" else str(needed_consent(self))

    @property
    def diagnostic(self) -> Diagnostic:
        """The finding in the shape of all reports."""
        return joined_diagnostic([self])

    def __str__(self) -> str:
        advice = f"; {self.advice}" if self.advice else ""
        return escaped(f"{self.table}: {self.verdict}: {self.message}{advice} [{self.code} {self.rule}]")


_WORDS = {"unique": "keys", "foreign_keys": "keys"}
"""The words of consents for paths that begin in another way."""

_WORDS_OF_RULES: Mapping[str, str] = {
    rule.__name__: word
    for rule, word in (
        (TableRemoved, "table"),
        (AspectNotOwned, "owns"),
        (AdditiveEvolution, "evolution"),
        (ColumnOrderNotKept, "column_order"),
    )
}
_WITH_DOTS = frozenset({"properties", "tags"})


def needed_consent(finding: CompatibilityFinding) -> NeededConsent:
    """Return the narrowest consent that allows what a finding is about."""
    path = finding.column
    if not path:
        head, _, name = finding.path.partition(".")
        word = _WORDS_OF_RULES.get(finding.rule) or _WORDS.get(head, head)
        names = name.split(".") if head in _WITH_DOTS else [name]
        path = ColumnPath(part_word(word), *filter(None, names))
    return NeededConsent(action=BREAK, table=finding.table, path=path)


def joined_diagnostic(findings: Sequence[CompatibilityFinding]) -> Diagnostic:
    """Return what one change is for several roles, with one verdict, in the shape of all reports."""
    first = findings[0]
    reasons: dict[str, list[str]] = {}
    upgrades: dict[str, list[str]] = {}
    for finding in findings:
        words = ROLE_WORDS[finding.role]
        reasons.setdefault(finding.reason, []).append(words)
        if finding.upgrade_first:
            upgrades.setdefault(finding.upgrade_first.replace(f" {words} ", " {} ", 1), []).append(words)
    facts = "; ".join(f"{', '.join(words)} {reason}" for reason, words in reasons.items())
    upgrade_first = "; ".join(text.format(", ".join(words)) for text, words in upgrades.items())
    remedies = dict.fromkeys(finding.remedy for finding in findings)
    return Diagnostic(
        code=first.code,
        rule=first.rule,
        severity=_SEVERITIES[first.verdict],
        table=str(first.table),
        path=first.path,
        message=f"{first.subject}: {first.before} -> {first.after}: {facts}",
        remedy="; ".join(filter(None, (upgrade_first, *remedies))),
        roles=tuple(finding.role for finding in findings),
        verdict=first.verdict,
        upgrade_first=upgrade_first,
    )


def worst_verdict(findings: Iterable[CompatibilityFinding]) -> CompatibilityVerdict:
    """Return the worst verdict of some findings: ``safe``, ``dangerous``, ``not judged``, and then ``breaking``.

    Args:
        findings: Such as those of one role; none are safe.
    """
    return max((finding.verdict for finding in findings), key=VERDICTS.index, default="safe")


UNKNOWN_PARTS = (*ASPECTS, "ownership", "evolution")
"""What a released state may not hold."""


def judge_change(  # noqa: PLR0913 - what a project knows about its contract
    old: Table | TableState | None,
    new: Table | TableState | None,
    *,
    roles: Iterable[Role] = DEFAULT_ROLES,
    clients: Iterable[str] = (),
    client_features: ClientFeatures = ClientFeatures(),  # noqa: B008 - never changed
    unknown: Iterable[str] = (),
    new_tables: Iterable[Table | TableState] = (),
    version: tuple[int, int] = NEWEST,
    released_on: date | None = None,
) -> tuple[CompatibilityFinding, ...]:
    """Judge whom a contract breaks, compared with the released one, and who has to be upgraded first.

    Only what the change brings counts, and only what the contract owns. Streams and writers are predicted: what a
    stream does over the change, and whether the new table refuses what the released one accepts.

    Args:
        old: The released contract, as a model or as its state; ``None`` for a new table.
        new: The contract that is to be released; ``None`` for a table that has left it.
        roles: Who is judged, by default ``readers``, ``streams``, ``writers`` and ``clients``.
        clients: The clients of the project, such as ``trino>=470``, for a released contract that lists none.
        client_features: The table of clients, with the corrections of the project.
        unknown: What the released state does not hold, such as one of a SQL script: aspects, ``ownership`` and
            ``evolution``.
        new_tables: The other tables that are new in the same release; one with the same columns is named for a table
            that is gone.
        version: Delta's version, major and minor.
        released_on: The day of the released contract; a new deprecation that claims to be older is found.

    Returns:
        A finding for each change and role, safe ones included, in the order of the plan and of the roles.

    Raises:
        DeclarationError: If an argument has no possible meaning.
    """
    wanted = [role for role in ROLES if role in _known(roles, ROLES, "roles")]
    unheld = _known(unknown, UNKNOWN_PARTS, "unknown")
    listed = require_clients(clients, "judge_change: ")
    require_version(version)
    before, after = _state("old", old), _state("new", new)
    others = [table for given in new_tables if (table := _state("new_tables", given)) is not None]
    own: list[ContractChange] = []
    foreign: list[ContractChange] = []
    if before is None or after is None:
        table = before or after
        if table is None:
            msg = "judge_change: old and new are None; give a table as one of them"
            raise DeclarationError(msg)
        own, states = [whole_table(before, others)], StatePair(table, table)
    elif before.name != after.name:
        msg = f"judge_change: old is {before.name}, and new is {after.name}; give one table before and after its change"
        raise DeclarationError(msg)
    else:
        table = before
        states, differences = contract_changes(before, after, released_on)
        for change in differences:
            reason = unjudged(change, before, after, unheld)
            (foreign if reason is None else own).append(replace(change, why_not_judged=reason or ""))
    if not own:
        return ()
    return tuple(
        _findings(
            Judged(
                changes=own,
                others=foreign,
                states=states,
                clients=table.clients or listed,
                client_features=client_features,
                version=version,
            ),
            wanted,
        )
    )


def _findings(judged: Judged, roles: Sequence[Role]) -> Iterator[CompatibilityFinding]:
    released = judged.states.old
    effects = {role: effects_on(role, judged) for role in roles}
    for at, change in enumerate(judged.changes):
        for role in roles:
            effect = effects[role][at]
            yield CompatibilityFinding(
                code=change.row.code,
                rule=change.row.__name__,
                role=role,
                verdict=effect.verdict,
                table=released.logical_name or released.name,
                path=change.path,
                column=change.column,
                before=change.before,
                after=change.after,
                reason=effect.reason,
                upgrade_first=effect.upgrade_first,
                remedy=effect.remedy,
                subject=change.subject,
            )


def _known(given: object, known: Sequence[str], argument: str) -> tuple[str, ...]:
    """Return words of a fixed list."""
    words = require_names(given, f"{argument} of judge_change")
    others = [word for word in words if word not in known]
    if others:
        msg = f"judge_change: {argument} has {', '.join(map(repr, others))}; write such as {', '.join(known)}"
        raise DeclarationError(msg)
    return words


def _state(argument: str, given: object) -> TableState | None:
    """Return the state of a model, or a state itself."""
    if given is None or isinstance(given, TableState):
        return given
    if not isinstance(given, Table):
        refuse_kind("judge_change", "a Table, a TableState or None", given, f"give a model or a state as {argument}")
    return desired_state(given)


DecisionResult = Literal["fails", "not judged", "tolerated", "allowed", "other role"]
"""``tolerated``: the policy of the project lets its verdict pass; ``other role``: it does not judge that role."""

_DROPS = frozenset({ColumnRemoved.code, TableRemoved.code})
_ADDITIONS = frozenset({NullableColumnAdded.__name__, FieldAdded.__name__})


class Decision(NamedTuple):
    """The meaning of a finding for a project; of one that is not safe."""

    finding: CompatibilityFinding
    result: DecisionResult
    reason: str = ""
    """Why it is allowed, or why its deprecation does not allow it yet; ``""`` if there is none."""
    consent: Consent | None = None
    """The consent that allows it."""

    @property
    def part(self) -> tuple[str, str, str]:
        """The change that it is about, which is the same for all roles."""
        return self.finding.code, self.finding.path, self.finding.subject

    @property
    def change(self) -> tuple[str, ...]:
        """What is the same for the roles for which the change has one meaning."""
        finding = self.finding
        return (*self.part, finding.before, finding.after, finding.verdict, self.result, self.reason)

    @property
    def needs_deprecation(self) -> bool:
        """Whether it drops what the released contract does not deprecate."""
        return self.finding.code in _DROPS and not self.reason


def decided(  # noqa: PLR0913 - what a project knows about its contract
    findings: Iterable[CompatibilityFinding],
    policy: CompatibilityPolicy,
    *,
    consents: Iterable[Consent],
    released: TableState | None,
    today: date,
    announced: Callable[[ColumnPath], date | str] | None = None,
) -> tuple[Decision, ...]:
    """Return what findings on one table mean; those that are safe are left out."""
    given = [consent for consent in consents if consent.action == BREAK]
    deprecated = NO_DEPRECATIONS if released is None else released.deprecated

    def decision(finding: CompatibilityFinding) -> Decision:
        if not _is_judged(finding, policy):
            return Decision(finding, "other role")
        needed = needed_consent(finding)
        consent = next((consent for consent in given if consent.covers(needed)), None)
        if consent is not None:
            until = f" until {consent.expires}" if consent.expires else ""
            because = f" ({consent.reason})" if consent.reason else ""
            return Decision(finding, "allowed", f"by the consent '{consent}'{until}{because}", consent)
        reason = ""
        path = _deprecated_path(finding.column, deprecated) if finding.code in _DROPS else None
        if path is not None:
            deprecation = deprecated[path]
            start = announced(path) if announced is not None and policy.min_notice else deprecation.since
            reason = "; ".join(_obstacles(deprecation, start, policy.min_notice, today))
            if not reason:
                return Decision(finding, "allowed", f"by its deprecation of {deprecation.since}")
        if finding.verdict == "not judged":
            return Decision(finding, "not judged", reason)
        fails = policy.fail_on == "dangerous" or (policy.fail_on == "breaking" and finding.verdict == "breaking")
        return Decision(finding, "fails", reason) if fails else Decision(finding, "tolerated")

    return tuple(decision(finding) for finding in findings if finding.verdict != "safe")


def _is_judged(finding: CompatibilityFinding, policy: CompatibilityPolicy) -> bool:
    """Whether a policy judges a role; writers by MERGE are writers, but for what an added column or field breaks."""
    is_merge = finding.role == "writers-by-merge" and finding.rule not in _ADDITIONS
    return finding.role in policy.roles or (is_merge and "writers" in policy.roles)


def _deprecated_path(path: ColumnPath, deprecated: Deprecations) -> ColumnPath | None:
    """Return the path of the deprecation of what is dropped: its own, a column's or the table's around it."""
    while path and path not in deprecated:
        path = path.parent
    return path if path in deprecated else None


def _obstacles(deprecation: Deprecated, start: date | str, min_notice: int, today: date) -> Iterator[str]:
    """Yield why what is deprecated may not be dropped yet; notice counts from its release, if that is later."""
    if deprecation.sunset is not None and today < deprecation.sunset:
        yield f"its sunset is {deprecation.sunset}, and today is {today} (UTC)"
    if isinstance(start, str):
        yield start
        return
    days = (today - max(start, deprecation.since)).days
    if days < min_notice:
        released = f", and released {start}" if start > deprecation.since else ""
        yield f"it is deprecated since {deprecation.since}{released}, which is {days} of {min_notice} days of notice"

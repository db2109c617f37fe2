"""Remove from a report what does not leave the machine: hosts, tokens, samples of rows, and its paths."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pytest_delta_schema.diagnostics.redaction import (
    REDACTED,
    shown_value,
    suggests_secret,
    without_secrets,
    without_tokens,
)
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.plan.kinds import ABSENT
from pytest_delta_schema.plan.table_changes import FORMAT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
    from pytest_delta_schema.engine.outcomes import TableChange
    from pytest_delta_schema.report.run_report import RunReport, TableReport

    _Located = TypeVar("_Located", TableChange, Diagnostic, TableReport)


_LOCATIONS = ("source", "convert_from")
"""The keys of a state that say where files are."""

_PROPERTIES, _PROPERTY = "properties", "properties."
"""The key of a state that holds properties, and how the paths of their changes begin."""

_SHOWN_PREFIXES = ("delta.", "pytest_delta_schema.")
"""How properties begin whose values are not secrets."""


class Redaction(Protocol):
    """Removes what is secret from texts."""

    def message(self, text: str) -> str:
        """Return a message, or a location of files, without tokens and without the hosts of servers."""

    def value(self, text: str) -> str:
        """Return what users have written, or SQL, without tokens and the hosts of the servers of the run."""


def redact_report(
    report: RunReport,
    *,
    redaction: Redaction,
    relative: Callable[[Location], Location | None],
    with_samples: bool,
) -> RunReport:
    """Return a report that may be shown to everybody who may read the sources."""
    hide, hide_value = redaction.message, redaction.value

    def located(part: _Located) -> _Located:
        return part if part.location is None else replace(part, location=relative(part.location))

    def diagnostics(parts: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        return tuple(
            replace(
                located(part),
                message=hide(part.message),
                remedy=hide(part.remedy),
                samples=hide(part.samples) if with_samples else "",
                concerns_run=False,
            )
            for part in parts
        )

    def change(part: TableChange) -> TableChange:
        hide_side = hide if part.path == FORMAT else hide_value
        before, after = part.before, part.after
        if part.path.startswith(_PROPERTY):
            before, after = without_secrets(before), without_secrets(after)
            if suggests_secret(part.path) and before != ABSENT:
                before = repr(REDACTED)
        return replace(located(part), before=hide_side(before), after=hide_side(after))

    def table(entry: TableReport) -> TableReport:
        failure = entry.failure
        declared = dict((entry.declared or {}).get(_PROPERTIES, {}))
        if not with_samples:
            for diagnostic in entry.diagnostics:
                if diagnostic.samples:
                    failure = failure.replace(escaped(diagnostic.full_message), escaped(diagnostic.message))
        return replace(
            located(entry),
            changes=tuple(map(change, entry.changes)),
            diagnostics=diagnostics(entry.diagnostics),
            notes=diagnostics(entry.notes),
            background=diagnostics(entry.background),
            statements=tuple(replace(part, sql=hide_value(part.sql)) for part in entry.statements),
            restore_sql=hide_value(entry.restore_sql),
            failure=hide(failure),
            declared=_state(entry.declared, redaction, declared),
            observed=_state(entry.observed, redaction, declared),
        )

    return replace(
        report,
        tables=tuple(map(table, report.tables)),
        unmanaged=diagnostics(report.unmanaged),
        faults=diagnostics(report.faults),
    )


def _state(
    values: Mapping[str, Any] | None, redaction: Redaction, declared: Mapping[str, str]
) -> Mapping[str, Any] | None:
    """Return a state without hosts, tokens and values of properties that may be secret."""
    if values is None:
        return None
    if _PROPERTIES in values:
        values = {**values, _PROPERTIES: _properties(values[_PROPERTIES], declared)}
    return {
        key: _with_texts(value, redaction.message if key in _LOCATIONS else redaction.value)
        for key, value in values.items()
    }


def _properties(values: Mapping[str, str | None], declared: Mapping[str, str]) -> dict[str, str | None]:
    """Return properties without values that are known to the catalog only, but for those of Delta, and without URIs."""

    def is_shown(key: str, value: str) -> bool:
        if key in declared:
            return value == declared[key] or not suggests_secret(key)
        return key.startswith(_SHOWN_PREFIXES)

    def shown(key: str, value: str | None) -> str | None:
        return None if value is None else shown_value(value) if is_shown(key, value) else REDACTED

    return {key: shown(key, value) for key, value in values.items()}


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value of JSON with its texts changed and without tokens, but for keys."""
    if isinstance(value, str):
        return change(without_tokens(value))
    if isinstance(value, list):
        return [_with_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {key: _with_texts(item, change) for key, item in value.items()}
    return value

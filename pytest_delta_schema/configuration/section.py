"""Entries of the section: consents below ``allow``, policies below ``compatibility``, stores below ``storage``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.redaction import without_secrets
from pytest_delta_schema.rules.policy import CompatibilityEntry, CompatibilityPolicy, PathPart
from pytest_delta_schema.settings.table import DEFAULT_ROLES, FAIL_ON, ROLES, SECTION
from pytest_delta_schema.state.json_shapes import (
    FLAG,
    Choice,
    FormFault,
    Items,
    Key,
    Record,
    Shape,
    fault_of,
    json_preview,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_delta_schema.rules.consent import Consent


class SettingError(Exception):
    """A setting cannot have a value; readers of a configuration collect the faults of all settings."""

    def __init__(self, *faults: str) -> None:
        self.faults = faults
        super().__init__("\n".join(faults))


_T = TypeVar("_T")
_R = TypeVar("_R")


def refuse_faults(faults: Sequence[str]) -> None:
    """Raise a ``SettingError`` if there are faults."""
    if faults:
        raise SettingError(*faults)


def read_each(items: Iterable[_T], read: Callable[[_T], _R], kind: type[Exception], before: str = "") -> tuple[_R, ...]:
    """Return what each item is read as; raise a ``SettingError`` with the faults of all items."""
    results, faults = [], []
    for item in items:
        try:
            results.append(read(item))
        except kind as error:
            faults.append(f"{before}{error}")
    refuse_faults(faults)
    return tuple(results)


def setting_text(value: object) -> str:
    """Return a value for a message, without the secrets that a URI may hold."""
    return without_secrets(repr(value))


_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"
"""Fillers of Hangul, which Unicode counts as letters and which are shown as blanks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked(Shape):
    """A value of one type that passes a check, which may raise a ``DeclarationError`` with more than the form."""

    kind: type
    is_valid: Callable[[Any], Any]
    form: str

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the value."""
        try:
            # A boolean is an integer for Python, and a time a date, whose zone could move the day.
            if type(value) is not self.kind or not self.is_valid(value):
                shown = value if isinstance(value, date) else json_preview(value)
                faults.append(FormFault(path, f"is {shown}", f"write {self.form}"))
        except DeclarationError as error:
            faults.append(fault_of(error, path))
        return value


def _says_something(reason: str) -> bool:
    """Whether a reason has a letter or a digit that can be seen."""
    return any(char.isalnum() and char not in _BLANK_LETTERS for char in reason)


_TEXT = _Checked(kind=str, is_valid=lambda _: True, form="a text")
_CONSENT = Record(
    dict,
    Key("action", _TEXT, missing="write action = 'drop-column', 'rewrite' or 'break'"),
    Key("path", _TEXT, missing="write path = 'dev.silver.orders.legacy'"),
    Key(
        "reason",
        _Checked(kind=str, is_valid=_says_something, form="in words why it is given"),
        missing="write in words why it is given: reason = 'moved to payments'",
    ),
    Key(
        "expires",
        _Checked(kind=date, is_valid=lambda _: True, form="a day without quotes and time: 2030-12-31"),
        missing="write the last day: expires = 2030-12-31",
    ),
)
_PATH = _Checked(kind=str, is_valid=CompatibilityEntry, form="a text, such as 'prod.gold.**'")
_POLICY = Record(
    dict,
    Key("path", _PATH, missing="write the tables for which it holds: path = 'prod.gold.**'"),
    Key("roles", Items(of=Choice(words=ROLES), minimum=1), DEFAULT_ROLES),
    Key("fail_on", Choice(words=FAIL_ON), FAIL_ON[0]),
    Key("min_notice", _Checked(kind=int, is_valid=lambda days: days >= 0, form="days as a whole number, 0 or more"), 0),
)
_PREFIX = _Checked(kind=str, is_valid=lambda text: text.startswith("s3"), form="a location of S3: 's3://bucket/folder'")
_STORE = Record(
    dict,
    Key("prefix", _PREFIX, missing="write the location: prefix = 's3://bucket/folder'"),
    Key("endpoint", _TEXT, ""),
    Key("region", _TEXT, ""),
    Key("path_style", FLAG, default=False),
    Key("access_key_variable", _TEXT, ""),
    Key("secret_key_variable", _TEXT, ""),
)

CONSENT_KEYS, COMPATIBILITY_KEYS, STORE_KEYS = (
    tuple(key.name for key in record.keys) for record in (_CONSENT, _POLICY, _STORE)
)
"""The keys of the entries of three settings."""


def _entries_of(
    value: object, name: str, read: Callable[[dict[str, Any], list[FormFault]], _R | None]
) -> tuple[_R, ...]:
    """Return what each entry of an array is read as, or raise a ``SettingError`` with all faults of all entries.

    ``read`` adds the faults of an entry to a list, and may then return ``None``.
    """
    form = f"write [[{SECTION}.{name}]] and its keys below"
    if not isinstance(value, list):
        msg = f"{name} is {setting_text(value)}; {form}"
        raise SettingError(msg)
    results, messages = [], []
    for number, entry in enumerate(value, start=1):
        faults: list[FormFault] = []
        if isinstance(entry, dict):
            results.append(cast("_R", read(entry, faults)))
        else:
            faults.append(FormFault("", f"is {setting_text(entry)}", form))
        messages += [
            without_secrets(f"{name} entry {number}{f': {path}' if path else ''} {fact}; {remedy}")
            for path, fact, remedy in faults
        ]
    refuse_faults(messages)
    return tuple(results)


def consents_of_entries(value: object, name: str) -> tuple[Consent, ...]:
    """Return the consents of a file."""
    return _entries_of(value, name, _consent)


def _consent(entry: dict[str, Any], faults: list[FormFault]) -> Consent | None:
    """Return the consent of an entry; its action and its path are checked together, whatever else is wrong."""
    from pytest_delta_schema.rules.consent import Consent, ConsentError

    known = _CONSENT.read(entry, "", faults)
    given = known or {key: entry.get(key) for key in ("action", "path")}
    if not all(isinstance(given[key], str) for key in ("action", "path")):
        return None
    try:
        return Consent(is_pattern=True, **given | ({"reason": given["reason"].strip()} if known else {}))
    except ConsentError as error:
        faults.append(fault_of(error, ""))
        return None


def consents_of_texts(texts: Iterable[str]) -> tuple[Consent, ...]:
    """Return the consents of the command line, such as ``drop-column dev.silver.orders.legacy``."""
    from pytest_delta_schema.rules.consent import ConsentError, parse_consent

    return read_each(texts, parse_consent, ConsentError)


def expired(consents: Iterable[Consent]) -> list[str]:
    """Return a message for each expired consent."""
    today = datetime.now(tz=timezone.utc).date()
    return [
        f"consent '{consent}' expired at the end of {consent.expires} in UTC ({consent.reason}); remove it, or renew it"
        for consent in consents
        if consent.expires is not None and consent.expires < today
    ]


def compatibility_of_entries(value: object, name: str) -> tuple[CompatibilityEntry, ...]:
    """Return the policies of a file by the paths of tables."""
    known = set[tuple[PathPart, ...]]()

    def read(entry: dict[str, Any], faults: list[FormFault]) -> CompatibilityEntry | None:
        given = _POLICY.read(entry, "", faults)
        if given is None:
            return None
        path, roles = given.pop("path"), tuple(dict.fromkeys(given.pop("roles")))
        policy = CompatibilityEntry(path, policy=CompatibilityPolicy(roles=roles, **given))
        if policy.parts in known:
            faults.append(FormFault("path", f"is that of an entry above, {path!r}", "keep one of them"))
        known.add(policy.parts)
        return policy

    return _entries_of(value, name, read)


def stores_of_entries(value: object, name: str) -> tuple[dict[str, Any], ...]:
    """Return the stores of a file, each as the arguments of a ``Storage``."""
    return _entries_of(value, name, lambda entry, faults: _STORE.read(entry, "", faults) and entry)

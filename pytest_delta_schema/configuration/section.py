"""Entries of the section: consents below ``allow``, policies below ``compatibility``, stores below ``storage``."""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_delta_schema.delta.names import proposal
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.redaction import without_secrets
from pytest_delta_schema.rules.policy import CompatibilityEntry, CompatibilityPolicy
from pytest_delta_schema.settings.table import FAIL_ON, ROLES, SECTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.policy import PathPart


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


CONSENT_KEYS = ("action", "path", "reason", "expires")
"""The keys of a consent, all of them required."""

_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"
"""Fillers of Hangul, which Unicode counts as letters and which are shown as blanks."""


def _entries_of(value: object, label: str, read: Callable[[dict[str, Any], int], _R]) -> tuple[_R, ...]:
    """Return what each entry of an array of tables is read as; raise a ``SettingError`` with all faults of all entries.

    ``read`` gets an entry and its number, and raises such an error with the faults of the entry.
    """
    form = f"write [[{SECTION}.{label}]] and its keys below"
    if not isinstance(value, list):
        msg = f"{label} is {setting_text(value)}; {form}"
        raise SettingError(msg)
    results, faults = [], []
    for number, entry in enumerate(value, start=1):
        try:
            if not isinstance(entry, dict):
                refuse_faults([f"is {setting_text(entry)}; {form}"])
            results.append(read(entry, number))
        except SettingError as error:
            faults += [f"{label} entry {number} {fault}" for fault in error.faults]
    refuse_faults(faults)
    return tuple(results)


def consents_of_entries(value: object, label: str) -> tuple[Consent, ...]:
    """Return the consents of a file."""
    return _entries_of(value, label, _consent)


def consents_of_texts(texts: Iterable[str]) -> tuple[Consent, ...]:
    """Return the consents of the command line, such as ``drop-column dev.silver.orders.legacy``."""
    from pytest_delta_schema.rules.consent import ConsentError, parse_consent

    return read_each(texts, parse_consent, ConsentError)


def _consent(entry: dict[str, Any], _number: int) -> Consent:
    from pytest_delta_schema.rules.consent import Consent, ConsentError

    missing = [key for key in CONSENT_KEYS if key not in entry]
    unknown = [key for key in entry if key not in CONSENT_KEYS]
    if missing or unknown:
        lacks = [f"lacks {', '.join(missing)}"] if missing else []
        has = [f"has a key {', '.join(unknown)}"] if unknown else []
        msg = f"{' and '.join(lacks + has)}; its keys are {', '.join(CONSENT_KEYS)}"
        raise SettingError(msg)
    expires, reason, faults = entry["expires"], entry["reason"], []
    # A datetime is a date for Python; its time zone could move the last day.
    if not isinstance(expires, date) or isinstance(expires, datetime):
        value = str(expires) if isinstance(expires, datetime) else setting_text(expires)
        faults.append(f"has expires = {value}; write a day without quotes and time: expires = 2030-12-31")
        expires = None
    if not _says_something(reason):
        faults.append("has no reason; say in words why it is given")
    try:
        consent = Consent(
            str(entry["action"]), str(entry["path"]), is_pattern=True, reason=str(reason).strip(), expires=expires
        )
    except ConsentError as error:
        faults.append(f"cannot be used: {error}")
    refuse_faults(faults)
    return consent


def _says_something(reason: object) -> bool:
    """Whether a reason is a text with a letter or a digit that can be seen."""
    return isinstance(reason, str) and any(char.isalnum() and char not in _BLANK_LETTERS for char in reason)


def expired(consents: Iterable[Consent]) -> list[str]:
    """Return a message for each expired consent."""
    today = datetime.now(tz=timezone.utc).date()
    return [
        f"consent '{consent}' expired at the end of {consent.expires} in UTC ({consent.reason}); remove it, or renew it"
        for consent in consents
        if consent.expires is not None and consent.expires < today
    ]


COMPATIBILITY_KEYS = ("path", "roles", "fail_on", "min_notice")
"""The keys of an entry; only ``path`` is required."""


def compatibility_of_entries(value: object, label: str) -> tuple[CompatibilityEntry, ...]:
    """Return the policies of a file by the paths of tables."""
    numbers: dict[tuple[PathPart, ...], int] = {}

    def read(entry: dict[str, Any], number: int) -> CompatibilityEntry:
        policy = _compatibility_entry(entry)
        first = numbers.setdefault(policy.parts, number)
        if first != number:
            refuse_faults([f"has the path of entry {first}, {policy.path!r}; keep one of them"])
        return policy

    return _entries_of(value, label, read)


def _compatibility_entry(entry: dict[str, Any]) -> CompatibilityEntry:
    faults = [
        *_key_faults(entry),
        *_path_faults(entry),
        *_role_faults(entry.get("roles", list(ROLES))),
        *_fail_on_faults(entry.get("fail_on", FAIL_ON[0])),
        *_notice_faults(entry.get("min_notice", 0)),
    ]
    refuse_faults(faults)
    given = {key: value for key, value in entry.items() if key != "path"}
    if "roles" in given:
        given["roles"] = tuple(dict.fromkeys(given["roles"]))
    return CompatibilityEntry(entry["path"], policy=CompatibilityPolicy(**given))


def _key_faults(entry: dict[str, Any]) -> Iterator[str]:
    for key in entry:
        if key not in COMPATIBILITY_KEYS:
            keys = f"its keys are {', '.join(COMPATIBILITY_KEYS)}"
            yield f"has a key {key}; {proposal(key.replace('-', '_'), COMPATIBILITY_KEYS, keys)}"


def _path_faults(entry: dict[str, Any]) -> Iterator[str]:
    if "path" not in entry:
        yield "lacks path; write the tables for which it holds: path = 'prod.gold.**'"
        return
    path = entry["path"]
    if not isinstance(path, str):
        yield f"has path = {setting_text(path)}; write a text, such as 'prod.gold.**'"
        return
    try:
        CompatibilityEntry(path)
    except DeclarationError as error:
        yield f"cannot be used: {error}"


def _role_faults(roles: object) -> Iterator[str]:
    if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
        form = f"[{setting_text(roles)}]" if isinstance(roles, str) else "a list of texts, such as ['readers']"
        yield f"has roles = {setting_text(roles)}; write {form}"
        return
    if not roles:
        yield "has no role in roles; name one, or write fail_on = 'never'"
    for role in dict.fromkeys(roles):
        if role not in ROLES:
            hint = proposal(role.replace("_", "-"), ROLES, f"roles are {', '.join(ROLES)}")
            yield f"has {setting_text(role)} in roles, which is not a role; {hint}"


def _fail_on_faults(fail_on: object) -> Iterator[str]:
    if fail_on not in FAIL_ON:
        choices = f"choose {', '.join(FAIL_ON[:-1])} or {FAIL_ON[-1]}"
        hint = proposal(fail_on, FAIL_ON, choices) if isinstance(fail_on, str) else choices
        yield f"has fail_on = {setting_text(fail_on)}; {hint}"


def _notice_faults(days: object) -> Iterator[str]:
    if not isinstance(days, int) or isinstance(days, bool) or days < 0:
        yield f"has min_notice = {setting_text(days)}; write days as a whole number, 0 or more"


STORE_KEYS = {
    "prefix": str,
    "endpoint": str,
    "region": str,
    "path_style": bool,
    "access_key_variable": str,
    "secret_key_variable": str,
}
"""The keys of a store with their types; only ``prefix`` is required."""


def stores_of_entries(value: object, label: str) -> tuple[dict[str, Any], ...]:
    """Return the stores of a file, each as the arguments of a ``Storage``."""

    def read(store: dict[str, Any], _number: int) -> dict[str, Any]:
        refuse_faults([*_store_faults(store)])
        return store

    return _entries_of(value, label, read)


def _store_faults(store: dict[str, Any]) -> Iterator[str]:
    unknown = [key for key in store if key not in STORE_KEYS]
    if unknown:
        yield f"has a key {', '.join(unknown)}; its keys are {', '.join(STORE_KEYS)}"
    for key, kind in STORE_KEYS.items():
        if key in store and not isinstance(store[key], kind):
            yield f"has {key} = {setting_text(store[key])}; write {'true or false' if kind is bool else 'a text'}"
    if not str(store.get("prefix", "")).startswith("s3"):
        yield "has no prefix of S3; write the location: prefix = 's3://bucket/folder'"

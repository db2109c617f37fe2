"""Entries of the section below ``compatibility``: what a project accepts when contracts change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.error import SettingError, setting_text
from pytest_delta_schema.delta.names.near_names import proposal
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.rules.compatibility_policy import CompatibilityEntry, CompatibilityPolicy
from pytest_delta_schema.settings.compatibility_roles import FAIL_ON, ROLES
from pytest_delta_schema.settings.text import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.rules.consent_paths import PathPart

COMPATIBILITY_KEYS = ("path", "roles", "fail_on", "min_notice")
"""The keys of an entry; only ``path`` is required."""


def compatibility_of_entries(entries: list[object], label: str) -> tuple[CompatibilityEntry, ...]:
    """Return the policies of a file by the paths of tables.

    Raises:
        SettingError: With all faults of all entries.
    """
    result: list[CompatibilityEntry] = []
    faults: list[str] = []
    numbers: dict[tuple[PathPart, ...], int] = {}
    for number, entry in enumerate(entries, start=1):
        try:
            read = _entry(entry, label)
        except SettingError as error:
            faults += [f"{label} entry {number} {fault}" for fault in error.faults]
            continue
        first = numbers.setdefault(read.parts, number)
        if first != number:
            faults.append(f"{label} entry {number} has the path of entry {first}, {read.path!r}; keep one of them")
        result.append(read)
    if faults:
        raise SettingError(*faults)
    return tuple(result)


def _entry(entry: object, label: str) -> CompatibilityEntry:
    if not isinstance(entry, dict):
        msg = f"is {setting_text(entry)}; write [[{SECTION}.{label}]] and its keys below"
        raise SettingError(msg)
    faults = [
        *_unknown_keys(entry),
        *_path_faults(entry),
        *_role_faults(entry.get("roles", list(ROLES))),
        *_fail_on_faults(entry.get("fail_on", FAIL_ON[0])),
        *_notice_faults(entry.get("min_notice", 0)),
    ]
    if faults:
        raise SettingError(*faults)
    given = {key: value for key, value in entry.items() if key != "path"}
    if "roles" in given:
        given["roles"] = tuple(dict.fromkeys(given["roles"]))
    return CompatibilityEntry(entry["path"], policy=CompatibilityPolicy(**given))


def _unknown_keys(entry: dict[str, Any]) -> Iterator[str]:
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

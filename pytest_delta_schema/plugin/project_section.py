"""What a project says about itself in ``[tool.pytest_delta_schema]`` of its ``pyproject.toml``."""

from __future__ import annotations

import sys
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.models.modes import PropertyMode
    from pytest_delta_schema.rules.consent import Consent

SECTION = "tool.pytest_delta_schema"

_KEYS = ("allow", "properties", "storage")
_STORE = {
    "prefix": str,
    "endpoint": str,
    "region": str,
    "path_style": bool,
    "access_key_variable": str,
    "secret_key_variable": str,
}
_ENTRY = ("action", "path", "reason", "expires")


class Project(NamedTuple):
    """What was said.

    Args:
        allow: Consents that hold for everybody, each with a reason and a last day.
        properties: Patterns of table properties, each with its mode.
        stores: Places where files lie, each as the arguments of a ``Storage``.
    """

    allow: tuple[Consent, ...] = ()
    properties: tuple[tuple[str, PropertyMode], ...] = ()
    stores: tuple[dict[str, Any], ...] = ()


def read_project(config: pytest.Config) -> Project:
    """Read the section, beside the ini file; nothing is said where there is none.

    Raises:
        pytest.UsageError: With everything in it that cannot be understood.
    """
    folder = config.inipath.parent if config.inipath else config.rootpath
    path = folder / "pyproject.toml"
    text = path.read_text("utf-8") if path.is_file() else ""
    if SECTION not in text:
        return Project()
    section: dict[str, Any] = _toml(text).get("tool", {}).get("pytest_delta_schema", {})
    strangers = [key for key in section if key not in _KEYS]
    faults = [f"there is no key {', '.join(strangers)}; keys are {', '.join(_KEYS)}"] if strangers else []
    allow: list[Consent] = []
    for number, entry in enumerate(section.get("allow", []), start=1):
        found = list(_entry_faults(entry))
        faults.extend(f"allow entry {number} {fault}" for fault in found)
        if not found:
            allow.append(_consent(entry))
    said = section.get("properties", {})
    if said:
        from pytest_delta_schema.models.modes import PROPERTY_MODES

        wrong = [f"{key} = {mode!r}" for key, mode in said.items() if mode not in PROPERTY_MODES]
        faults += [f"properties: {', '.join(wrong)} is no mode; modes are {', '.join(PROPERTY_MODES)}"] if wrong else []
    stores = section.get("storage", [])
    for number, store in enumerate(stores, start=1):
        faults += [f"storage entry {number} {fault}" for fault in _store_faults(store)]
    if faults:
        raise pytest.UsageError("\n".join(f"{path.name}: [{SECTION}]: {fault}" for fault in faults))
    return Project(allow=tuple(allow), properties=tuple(said.items()), stores=tuple(stores))


def expired(consents: tuple[Consent, ...]) -> list[str]:
    """Return a message for each consent whose last day is over."""
    today = datetime.now(tz=timezone.utc).date()
    return [
        f"consent '{consent}' expired on {consent.expires} ({consent.reason}); remove it, or agree once more"
        for consent in consents
        if consent.expires is not None and consent.expires < today
    ]


def _entry_faults(entry: object) -> Iterator[str]:
    from pytest_delta_schema.rules.consent import Consent, ConsentError

    if not isinstance(entry, dict):
        yield f"is {entry!r}; write [[{SECTION}.allow]] and its keys below"
        return
    missing = [key for key in _ENTRY if key not in entry]
    strangers = [key for key in entry if key not in _ENTRY]
    if missing or strangers:
        lacks = [f"lacks {', '.join(missing)}"] if missing else []
        has = [f"has a key {', '.join(strangers)}"] if strangers else []
        yield f"{' and '.join(lacks + has)}; its keys are {', '.join(_ENTRY)}"
        return
    if _day(entry["expires"]) is None:
        yield f"expires on {entry['expires']!r}; write a day: expires = 2030-12-31"
    if not str(entry["reason"]).strip():
        yield "has no reason; say why it is agreed to"
    try:
        Consent(str(entry["action"]), str(entry["path"]), is_pattern=True)
    except ConsentError as error:
        yield f"cannot be used: {error}"


def _store_faults(store: object) -> Iterator[str]:
    if not isinstance(store, dict):
        yield f"is {store!r}; write [[{SECTION}.storage]] and its keys below"
        return
    strangers = [key for key in store if key not in _STORE]
    if strangers:
        yield f"has a key {', '.join(strangers)}; its keys are {', '.join(_STORE)}"
    for key, kind in _STORE.items():
        if key in store and not isinstance(store[key], kind):
            yield f"has {key} = {store[key]!r}; write {'true or false' if kind is bool else 'a text'}"
    if not str(store.get("prefix", "")).startswith("s3"):
        yield "has no prefix of S3; write what lies there: prefix = 's3://bucket/folder'"


def _consent(entry: dict[str, Any]) -> Consent:
    from pytest_delta_schema.rules.consent import Consent

    return Consent(
        entry["action"],
        str(entry["path"]),
        is_pattern=True,
        reason=str(entry["reason"]).strip(),
        expires=_day(entry["expires"]),
    )


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def _toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)

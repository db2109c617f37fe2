"""Entries of the section below ``compatibility``: what a project accepts when contracts change."""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.error import SettingError, setting_text
from pytest_delta_schema.configuration.report_targets import ReportTarget, parse_target
from pytest_delta_schema.configuration.section import consents_of_entries, consents_of_texts, stores_of_entries
from pytest_delta_schema.delta.clients import parse_correction
from pytest_delta_schema.delta.names import proposal
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.clients import client_faults, parse_client
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.rules.policy import CompatibilityEntry, CompatibilityPolicy
from pytest_delta_schema.settings.table import FAIL_ON, ROLES, SECTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.policy import PathPart
    from pytest_delta_schema.settings.table import Setting, SettingKind


COMPATIBILITY_KEYS = ("path", "roles", "fail_on", "min_notice")
"""The keys of an entry; only ``path`` is required."""


def compatibility_of_entries(entries: list[object], label: str) -> tuple[CompatibilityEntry, ...]:
    """Return the policies of a file by the paths of tables."""
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


_RULE = re.compile(r"[\w.]+:[\w.]+")


def value_from_toml(setting: Setting, value: object, label: str, folder: Path) -> Any:
    """Return the value of a setting as the program uses it."""
    return _TYPED[setting.kind](setting, value, label, folder)


def one_of(choices: Iterable[str]) -> str:
    """Return choices as a sentence has them: ``count, limit or off``."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last


def _instance(value: object, kinds: tuple[type, ...], label: str, form: str) -> Any:
    """Return a value of one of the types; a boolean is not a number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        msg = f"{label} is {setting_text(value)}; write {form}"
        raise SettingError(msg)
    return value


def _flag(_: Setting, value: object, label: str, __: Path) -> bool:
    return _instance(value, (bool,), label, "true or false")  # type: ignore[no-any-return]


def _text(_: Setting, value: object, label: str, __: Path) -> str:
    return _instance(value, (str,), label, "a text")  # type: ignore[no-any-return]


def _uri(_: Setting, value: object, label: str, __: Path) -> str:
    if not isinstance(value, str):
        msg = f"{label} must be a string, such as 'https://unity.example.com'"
        raise SettingError(msg)
    return value


def _folder(_: Setting, value: object, label: str, folder: Path) -> str:
    path: str = _instance(value, (str,), label, "the path of a folder")
    return str(folder / Path(path).expanduser())


def _choice(setting: Setting, value: object, label: str, __: Path) -> str:
    if value not in setting.choices:
        msg = f"{label} is {setting_text(value)}; choose {one_of(setting.choices)}"
        raise SettingError(msg)
    return str(value)


def _count(setting: Setting, value: object, label: str, __: Path) -> int:
    form = f"a whole number, {setting.minimum} or more"
    number: int = _instance(value, (int,), label, form)
    if number < setting.minimum:
        msg = f"{label} is {number}; write {form}"
        raise SettingError(msg)
    return number


def _seconds(setting: Setting, value: object, label: str, __: Path) -> float:
    form = "a number of seconds above 0"
    if setting.without_value is not None:
        form = f"{form} after an equals sign, or no value and the paths before the option"
    number: float = _instance(value, (int, float), label, form)
    if not (isfinite(number) and number > 0):
        msg = f"{label} is {number}; write {form}"
        raise SettingError(msg)
    return float(number)


def _texts(value: object, label: str) -> list[str]:
    form = f"a list: [{setting_text(value)}]" if isinstance(value, str) else "a list of texts"
    texts: list[str] = _instance(value, (list,), label, form)
    for text in texts:
        _instance(text, (str,), label, form)
    return texts


def _list(setting: Setting, value: object, label: str, __: Path) -> tuple[str, ...]:
    texts = _texts(value, label)
    unknown = [text for text in texts if setting.choices and text not in setting.choices]
    if unknown:
        msg = f"{label}: there is no {', '.join(unknown)}; choose among {', '.join(setting.choices)}"
        raise SettingError(msg)
    return tuple(texts)


def _rules(setting: Setting, value: object, label: str, folder: Path) -> tuple[str, ...]:
    rules = _list(setting, value, label, folder)
    faults = [
        f"{label}: {rule!r} names no rule; write 'module:Name', as in 'shop.rules:NoFloats'"
        for rule in rules
        if _RULE.fullmatch(rule) is None
    ]
    if faults:
        raise SettingError(*faults)
    return rules


def _clients(setting: Setting, value: object, label: str, folder: Path) -> tuple[str, ...]:
    texts = _list(setting, value, label, folder)
    faults = client_faults(texts)
    if faults:
        raise SettingError(*(f"{label}: {fault}" for fault in faults))
    return tuple(str(parse_client(text)) for text in texts)


def _mapping(value: object, label: str, form: str) -> Mapping[str, Any]:
    """Return a table of TOML whose keys hold no dots outside of quotes, which TOML reads as tables in tables."""
    pairs: Mapping[str, Any] = _instance(value, (dict,), label, form)
    faults = [
        f"{label}: {key} is a table; put names with dots in quotes: {form}"
        for key, item in pairs.items()
        if isinstance(item, dict)
    ]
    if faults:
        raise SettingError(*faults)
    return pairs


def _pairs(_: Setting, value: object, label: str, __: Path) -> tuple[tuple[str, str], ...]:
    return _texts_by_key(value, label, 'a table such as { "team" = "sales" }')


def _texts_by_key(value: object, label: str, form: str) -> tuple[tuple[str, str], ...]:
    pairs = _mapping(value, label, form)
    faults = [
        f"{label}: {key} is {setting_text(item)}; write a text, a number, true or false"
        for key, item in pairs.items()
        if not isinstance(item, (str, bool, int, float))
    ]
    if faults:
        raise SettingError(*faults)
    return tuple((key, str(item).lower() if isinstance(item, bool) else str(item)) for key, item in pairs.items())


def _client_features(_: Setting, value: object, label: str, __: Path) -> tuple[tuple[str, str], ...]:
    pairs, faults = _texts_by_key(value, label, 'a table such as { "trino.clustering" = "482" }'), []
    for key, text in pairs:
        try:
            parse_correction(key, text)
        except ValueError as error:
            faults.append(f"{label}: {error}")
    if faults:
        raise SettingError(*faults)
    return pairs


def _modes(setting: Setting, value: object, label: str, __: Path) -> tuple[tuple[str, str], ...]:
    pairs = _mapping(value, label, f'a table such as {{ "delta.autoOptimize.*" = "{setting.choices[0]}" }}')
    faults = [
        f"{label}: {pattern} is {setting_text(mode)}; choose {one_of(setting.choices)}"
        for pattern, mode in pairs.items()
        if mode not in setting.choices
    ]
    if faults:
        raise SettingError(*faults)
    return tuple(pairs.items())


Bindings = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""Names in models, each with the name in the catalog that it maps to."""


def _bindings(_: Setting, value: object, label: str, __: Path) -> Bindings:
    pairs = _mapping(value, label, 'a table such as { "dev.silver" = "ci.pr_42_silver" }')
    return bindings_of_texts(f"{name}={target}" for name, target in pairs.items())


def bindings_of_texts(texts: Iterable[str]) -> Bindings:
    """Return the bindings of texts such as ``dev.silver=ci.pr_42_silver``; of two with one name the later counts."""
    bindings, faults = {}, []
    for text in texts:
        try:
            prefix, target = parse_binding(text)
        except DeclarationError as error:
            faults.append(str(error))
        else:
            bindings[prefix] = target
    if faults:
        raise SettingError(*faults)
    return tuple(bindings.items())


def _consents(_: Setting, value: object, label: str, __: Path) -> tuple[Consent, ...]:
    return consents_of_entries(_instance(value, (list,), label, f"[[{SECTION}.allow]] and its keys below"), label)


def _policies(_: Setting, value: object, label: str, __: Path) -> tuple[CompatibilityEntry, ...]:
    form = f"[[{SECTION}.compatibility]] and its keys below"
    return compatibility_of_entries(_instance(value, (list,), label, form), label)


def _reports(setting: Setting, value: object, label: str, folder: Path) -> tuple[ReportTarget, ...]:
    targets: list[ReportTarget] = []
    faults: list[str] = []
    for text in _texts(value, label):
        try:
            targets.append(parse_target(text, setting.choices, folder))
        except ValueError as error:
            faults.append(f"{label}: {error}")
    if faults:
        raise SettingError(*faults)
    return tuple(targets)


def _stores(_: Setting, value: object, label: str, __: Path) -> tuple[dict[str, Any], ...]:
    return stores_of_entries(_instance(value, (list,), label, f"[[{SECTION}.storage]] and its keys below"), label)


_TYPED: Mapping[SettingKind, Callable[[Setting, object, str, Path], Any]] = {
    "flag": _flag,
    "count": _count,
    "seconds": _seconds,
    "text": _text,
    "uri": _uri,
    "backend": _text,
    "folder": _folder,
    "choice": _choice,
    "list": _list,
    "rules": _rules,
    "clients": _clients,
    "bindings": _bindings,
    "pairs": _pairs,
    "client features": _client_features,
    "modes": _modes,
    "consents": _consents,
    "policies": _policies,
    "stores": _stores,
    "reports": _reports,
}
"""How the values of each kind are checked; a test holds that no kind is missing."""


_WHOLE_NUMBER = re.compile(r"\s*[0-9]+\s*")


def value_from_text(setting: Setting, value: Any, label: str, folder: Path) -> Any:
    """Return the value of an option or an ini key as the program uses it; see :func:`value_from_toml`.

    The value is what pytest has read: a text, a number, a boolean for a flag, a list of texts for kinds with several
    values. The label is what the user calls the setting; relative paths start in the folder.
    """
    match setting.kind:
        case "count":
            value = int(value) if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value) else value
        case "seconds":
            value = _number(value)
        case "pairs" | "client features":
            value = _pairs_of_texts(value, label)
        case "bindings":
            return bindings_of_texts(value)
        case "consents":
            return consents_of_texts(value)
        case _:
            pass
    return value_from_toml(setting, value, label, folder)


def _pairs_of_texts(texts: list[str], label: str) -> dict[str, str]:
    parts = [text.partition("=") for text in texts]
    wrong = ["".join(part) for part in parts if not part[0].strip() or not part[1]]
    if wrong:
        msg = f"{label}: {', '.join(map(repr, wrong))} is not of the form key=value"
        raise SettingError(msg)
    return {key.strip(): value.strip() for key, _, value in parts}


def _number(text: str | float) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text

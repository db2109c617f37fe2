"""Values of settings, from TOML and from options, as the program uses them."""

from __future__ import annotations

import re
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.locations import parse_locations
from pytest_delta_schema.configuration.report_targets import ReportTarget, parse_target
from pytest_delta_schema.configuration.section import (
    SettingError,
    compatibility_of_entries,
    consents_of_entries,
    consents_of_texts,
    read_each,
    refuse_faults,
    setting_text,
    stores_of_entries,
)
from pytest_delta_schema.delta.clients import parse_correction
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.diagnostics.redaction import Uri
from pytest_delta_schema.models.clients import parse_client
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.settings.table import NO_VALUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_delta_schema.models.names import Prefix
    from pytest_delta_schema.settings.table import Setting, SettingKind

    _Reader = Callable[[Setting, object, str, Path], Any]


def value_from_toml(setting: Setting, value: object, label: str, folder: Path) -> Any:
    """Return the value of a setting as the program uses it."""
    return _TYPED[setting.kind](setting, value, label, folder)


def value_of_option(setting: Setting, value: Any, folder: Path) -> Any:
    """Return the value of an option as the program uses it; see :func:`value_from_toml`.

    The value is what pytest has read: a text, or a list of texts for kinds with several values.
    """
    match setting.kind:
        case "bindings":
            return bindings_of_texts(value)
        case "consents":
            return consents_of_texts(value)
        case _:
            return value_from_toml(setting, value, setting.option, folder)


def one_of(choices: Iterable[str]) -> str:
    """Return choices as a sentence has them: ``count, limit or off``."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last


def _instance(
    value: object, kinds: tuple[type, ...], label: str, form: str, is_valid: Callable[[Any], bool] = lambda _: True
) -> Any:
    """Return a valid value of one of the types; a boolean is not a number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds) or not is_valid(value):
        msg = f"{label} is {setting_text(value)}; write {form}"
        raise SettingError(msg)
    return value


def _of_kind(kinds: tuple[type, ...], form: str, is_valid: Callable[[Any], bool] = lambda _: True) -> _Reader:
    return lambda _, value, label, __: _instance(value, kinds, label, form, is_valid)


def _uri(_: Setting, value: object, label: str, __: Path) -> Uri | None:
    text: str = _instance(value, (str,), label, "a text, such as 'https://unity.example.com'")
    return Uri(text) if text else None


def _folder(_: Setting, value: object, label: str, folder: Path) -> str:
    path: str = _instance(value, (str,), label, "the path of a folder")
    return str(folder / Path(path).expanduser())


def _choice(setting: Setting, value: object, label: str, __: Path) -> str:
    if value in (NO_VALUE, ""):
        msg = f"{label} needs a value; write {' or '.join(f'{label}={choice}' for choice in setting.choices)}"
        raise SettingError(msg)
    if value not in setting.choices:
        msg = f"{label} is {setting_text(value)}; choose {one_of(setting.choices)}"
        raise SettingError(msg)
    return str(value)


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


def _clients(setting: Setting, value: object, label: str, folder: Path) -> tuple[str, ...]:
    texts = _list(setting, value, label, folder)
    return tuple(map(str, read_each(texts, parse_client, DeclarationError, f"{label}: ")))


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, bool, int, float))


_SCALARS = "write a text, a number, true or false"


def _mapping(
    value: object, label: str, form: str, is_valid: Callable[[Any], bool] = _is_scalar, remedy: str = _SCALARS
) -> tuple[tuple[str, Any], ...]:
    """Return the pairs of a table of TOML, which reads keys with dots outside of quotes as tables in tables."""
    pairs: Mapping[str, Any] = _instance(value, (dict,), label, form)
    refuse_faults(
        [
            f"{label}: {key} is a table; put names with dots in quotes: {form}"
            if isinstance(item, dict)
            else f"{label}: {key} is {setting_text(item)}; {remedy}"
            for key, item in pairs.items()
            if not is_valid(item)
        ]
    )
    return tuple((key, str(item).lower() if isinstance(item, bool) else str(item)) for key, item in pairs.items())


def _pairs(_: Setting, value: object, label: str, __: Path) -> tuple[tuple[str, str], ...]:
    return _mapping(value, label, 'a table such as { "team" = "sales" }')


_NUMBER, _TIME = re.compile(r"[0-9]{1,9}"), re.compile(r"[0-9]{1,9}(?:ms|s|m|h)")


def _store_options(setting: Setting, value: object, label: str, __: Path) -> tuple[tuple[str, str], ...]:
    """Return how a store is waited for: only what holds no secret."""
    pairs = _mapping(value, label, 'a table such as { timeout = "60s", max_retries = 5 }')
    unknown = [
        f"{label}: there is no option {name}; choose among {', '.join(setting.choices)}"
        for name, _ in pairs
        if name not in setting.choices
    ]
    odd = [
        f"{label}: {name} is {setting_text(text)}; write {form}"
        for name, text in pairs
        for pattern, form in [(_NUMBER, "a whole number") if name == "max_retries" else (_TIME, "a time such as '30s'")]
        if name in setting.choices and pattern.fullmatch(text) is None
    ]
    refuse_faults([*unknown, *odd])
    return pairs


def _locations(_: Setting, value: object, label: str, folder: Path) -> tuple[tuple[Prefix, str], ...]:
    form = 'a table such as { "dev.silver" = "s3://lake/silver" }'
    return parse_locations(_mapping(value, label, form, lambda item: isinstance(item, str), "write a text"), folder)


def _client_features(_: Setting, value: object, label: str, __: Path) -> tuple[tuple[str, str], ...]:
    pairs = _mapping(value, label, 'a table such as { "trino.clustering" = "482" }')
    read_each(pairs, lambda pair: parse_correction(*pair), ValueError, f"{label}: ")
    return pairs


def _modes(setting: Setting, value: object, label: str, __: Path) -> tuple[tuple[str, str], ...]:
    form = f'a table such as {{ "delta.autoOptimize.*" = "{setting.choices[0]}" }}'
    return _mapping(value, label, form, setting.choices.__contains__, f"choose {one_of(setting.choices)}")


Bindings = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""Names in models, each with the name in the catalog that it maps to."""


def _bindings(_: Setting, value: object, label: str, __: Path) -> Bindings:
    pairs = _mapping(value, label, 'a table such as { "dev.silver" = "ci.pr_42_silver" }')
    return bindings_of_texts(f"{name}={target}" for name, target in pairs)


def bindings_of_texts(texts: Iterable[str]) -> Bindings:
    """Return the bindings of texts such as ``dev.silver=ci.pr_42_silver``; of two with one name the later counts."""
    return tuple(dict(read_each(texts, parse_binding, DeclarationError)).items())


def _reports(setting: Setting, value: object, label: str, folder: Path) -> tuple[ReportTarget, ...]:
    texts = _texts(value, label)
    return read_each(texts, lambda text: parse_target(text, setting.choices, folder), ValueError, f"{label}: ")


_RULE = re.compile(r"[\w.]+:[\w.]+")


def _rules(setting: Setting, value: object, label: str, folder: Path) -> tuple[str, ...]:
    rules = _list(setting, value, label, folder)
    faults = [
        f"{label}: {rule!r} names no rule; write 'module:Name', as in 'shop.rules:NoFloats'"
        for rule in rules
        if _RULE.fullmatch(rule) is None
    ]
    refuse_faults(faults)
    return rules


_TYPED: Mapping[SettingKind, _Reader] = {
    "flag": _of_kind((bool,), "true or false"),
    "count": _of_kind((int,), "a whole number, 0 or more", lambda number: number >= 0),
    "seconds": _of_kind((int, float), "a number of seconds above 0", lambda number: isfinite(number) and number > 0),
    "text": _of_kind((str,), "a text"),
    "uri": _uri,
    "backend": _of_kind((str,), "a text"),
    "folder": _folder,
    "choice": _choice,
    "list": _list,
    "rules": _rules,
    "clients": _clients,
    "bindings": _bindings,
    "pairs": _pairs,
    "client features": _client_features,
    "modes": _modes,
    "consents": lambda _, value, label, __: consents_of_entries(value, label),
    "policies": lambda _, value, label, __: compatibility_of_entries(value, label),
    "locations": _locations,
    "store options": _store_options,
    "stores": lambda _, value, label, __: stores_of_entries(value, label),
    "reports": _reports,
}
"""How the values of each kind are checked; a test holds that no kind is missing."""

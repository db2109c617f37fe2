"""All settings of a run, from its command line and the section of its ``pyproject.toml``, with all their faults."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.configuration.files import ProjectFile, toml
from pytest_delta_schema.diagnostics.redaction import without_secrets
from pytest_delta_schema.settings.table import BY_NAME, LISTS, OPTIONS, SECTION, SETTINGS, TOML_KEYS, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.settings.table import SettingKind


class Sources(NamedTuple):
    """The settings of a run."""

    values: Mapping[str, Any]
    """The value of every setting by its name."""
    project: Mapping[str, Any]
    """The values that the section gives, whatever the command line says."""
    faults: tuple[str, ...]
    """A message for everything that cannot be used; such a value is left out."""


_KEYED: tuple[SettingKind, ...] = ("bindings", "pairs", "client features", "locations", "store options")
"""The kinds whose values have keys: where two sources have one key, the command line counts."""


def from_sources(
    command_line: Mapping[str, Any] = MappingProxyType({}),
    project: ProjectFile = ProjectFile(),  # noqa: B008 - it is immutable
    here: Path = Path(),
) -> Sources:
    """Read the settings of a run.

    The command line has what pytest has read for each option by the name of its setting: a text, ``True`` for a flag,
    a list of texts for kinds with several values. ``here`` is the folder in which its relative paths start; those of a
    file start in its folder. A setting given by ``--delta-set`` replaces that of the section, and an option replaces
    both, or adds to them where a setting has several values.
    """
    faults = [*project.faults]
    folder = Path() if project.path is None else project.path.parent
    section = _typed(project.section.items(), folder, f"{project.shown}: [{SECTION}]: ", faults)
    given = _typed(_assignments(command_line.get("set") or (), faults), here, "--delta-set: ", faults)
    values = section | given
    for name, value in _options(command_line, here, faults).items():
        values[name] = _added(BY_NAME[name].kind, values.get(name), value)
    defaults = {setting.name: setting.default for setting in SETTINGS}
    return Sources(defaults | values, section, tuple(faults))


def _typed(items: Iterable[tuple[str, Any]], folder: Path, before: str, faults: list[str]) -> dict[str, Any]:
    """Return the values of TOML that can be used, by the names of their settings."""
    values = {}
    for name, value in items:
        if name not in TOML_KEYS:
            faults.append(before + _unknown_setting(name))
            continue
        from pytest_delta_schema.configuration.section import SettingError
        from pytest_delta_schema.configuration.values import value_from_toml

        try:
            values[name] = value_from_toml(BY_NAME[name], value, name, folder)
        except SettingError as error:
            faults += [before + fault for fault in error.faults]
    return values


def _unknown_setting(name: str) -> str:
    near = nearest(name, TOML_KEYS)
    if near is not None:
        return f"there is no setting {name}; did you mean {near}?"
    return f"there is no setting {name}; settings are {', '.join(TOML_KEYS)}"


def _assignments(texts: Iterable[str], faults: list[str]) -> Iterable[tuple[str, Any]]:
    """Yield the name and the value of each ``--delta-set``; of two with one name the later counts."""
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        kind = BY_NAME[name].kind if name in TOML_KEYS else None
        typed = value if kind is None else _toml_or_text(kind, value)
        if not name or (kind is None and not equals):
            faults.append(f"--delta-set {without_secrets(text)!r} names no setting; write --delta-set NAME=VALUE")
        elif not equals:
            faults.append(f"--delta-set {name} has no value; write --delta-set {name}=VALUE")
        elif kind in _OF_TEXTS and isinstance(typed, str):
            faults.append(f"--delta-set: {name} is not a list; write --delta-set {_as_list(name, value)}")
        else:
            yield without_secrets(name), typed


_TEXTS: tuple[SettingKind, ...] = ("text", "uri", "backend", "folder", "choice")
_OF_TEXTS: tuple[SettingKind, ...] = ("list", "rules", "clients", "reports")
"""The kinds whose values are one text, and lists of texts."""


def _toml_or_text(kind: SettingKind, text: str) -> Any:
    """Return a value of TOML; the text itself if it is none, or where a setting is a text and the value is not."""
    try:
        document = toml(f"value = {text}")
    except ValueError:
        return text
    value = document.get("value")
    return text if len(document) > 1 or (kind in _TEXTS and not isinstance(value, str)) else value


def _as_list(name: str, text: str) -> str:
    """Return the argument that gives a setting the texts which a shell or a user has left without quotes."""
    texts = [part.strip(" \"'") for part in without_secrets(text).strip("[] ").split(",")]
    return shlex.quote(f"{name}={json.dumps(texts, ensure_ascii=False)}")


def _options(command_line: Mapping[str, Any], here: Path, faults: list[str]) -> dict[str, Any]:
    values = {}
    for setting in OPTIONS:
        given = command_line.get(setting.name)
        if given in (None, False) or setting.name == "set":
            continue
        if setting.kind == "flag":
            values[setting.name] = True
            continue
        # A variable of a shell that is not set does not mean the default.
        if setting.kind != "choice" and "" in (given if isinstance(given, list) else [given]):
            faults.append(f"{setting.option} needs a value; write {setting.option}={setting.metavar}")
            continue
        from pytest_delta_schema.configuration.section import SettingError
        from pytest_delta_schema.configuration.values import value_of_option

        try:
            values[setting.name] = value_of_option(setting, given, here)
        except SettingError as error:
            faults += error.faults
    return values


def _added(kind: SettingKind, below: Any, value: Any) -> Any:
    """Return a value of an option where another source gives one, or ``None``, below it."""
    if below is None or kind not in LISTS:
        return value
    return tuple({**dict(below), **dict(value)}.items()) if kind in _KEYED else (*below, *value)

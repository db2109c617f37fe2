"""Read each setting from the command line, the ini file and ``pyproject.toml``, and merge what they give."""

# Annotations are not postponed here: a named tuple compiles each postponed one, and every pytest run loads this module.

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_delta_schema.configuration.project_file import ProjectFile, shown_path
from pytest_delta_schema.plugin.options.registration import files_of_pytest
from pytest_delta_schema.settings.table import INI_KEYS, LISTS, SETTINGS, SINCE_PYTEST_9, TOML_KEYS, Setting, nearest
from pytest_delta_schema.settings.text import SECTION

_KEYED = ("bindings", "pairs", "client features")
_NOT_SHOWN = ("text", "uri")
"""Kinds whose values are not repeated in messages, because they may hold a secret."""


class Given(NamedTuple):
    """The typed values of one setting; ``None`` where a source gives none."""

    command_line: Any = None
    """By its option, or by ``-o`` with its ini key."""
    ini: Any = None
    toml: Any = None


class Sources:
    """Reads and merges settings, and collects the faults of all of them."""

    def __init__(self, config: pytest.Config, project: ProjectFile, folder: Path) -> None:
        self._config = config
        self._project = project
        self._folder = folder
        self._overridden = {text.partition("=")[0] for text in config.getoption("override_ini") or ()}
        self.faults: list[str] = [
            *project.faults,
            *self._misspelt_sections(),
            *self._unknown_ini_keys(),
            *self._unread_ini_keys(),
        ]
        self.given = {setting.name: self._given(setting) for setting in SETTINGS}

    def values(self) -> dict[str, Any]:
        """Return the merged value of every setting by its name."""
        return {setting.name: self._merged(setting, self.given[setting.name]) for setting in SETTINGS}

    def _given(self, setting: Setting) -> Given:
        option = self._config.getoption(setting.dest) if setting.on_command_line else None
        command_line = None if not option else self._typed(setting, option, setting.option)
        ini = self._ini(setting) if setting.in_ini else None
        if setting.ini_key not in self._overridden:
            return Given(command_line, ini, self._project.values.get(setting.name))
        override: Any = setting.default if ini is None else ini
        if setting.kind in LISTS:
            return Given((*override, *(command_line or ())))
        return Given(override if command_line is None else command_line)

    def _ini(self, setting: Setting) -> Any:
        """Return the value of an ini key; an empty text gives none."""
        try:
            value = self._config.getini(setting.ini_key)
        except (TypeError, ValueError, pytest.UsageError) as error:
            from pytest_delta_schema.diagnostics.redaction import redacted_uris

            self.faults.append(f"{setting.ini_key} cannot be used: {redacted_uris(str(error))}")
            return None
        return None if value in (None, "") else self._typed(setting, value, setting.ini_key)

    def _typed(self, setting: Setting, value: Any, label: str) -> Any:
        from pytest_delta_schema.configuration.error import SettingError
        from pytest_delta_schema.configuration.ini_values import value_from_text

        if setting.kind == "flag":
            return value
        folder = self._config.invocation_params.dir if label == setting.option else self._folder
        try:
            return value_from_text(setting, value, label, folder)
        except SettingError as error:
            self.faults += error.faults
            return None

    def _merged(self, setting: Setting, given: Given) -> Any:
        values = [value for value in given if value is not None]
        if not values:
            return setting.default
        if setting.kind in _KEYED:
            return self._merged_pairs(setting, given)
        if setting.kind in LISTS:
            return tuple(item for value in values for item in value)
        if given.command_line is None and len(values) > 1 and given.ini != given.toml:
            self._two_values(setting, setting.name, given.ini, given.toml)
        return values[0]

    def _merged_pairs(self, setting: Setting, given: Given) -> tuple[Any, ...]:
        first, second, last = (dict(value or ()) for value in (given.ini, given.toml, given.command_line))
        for key in first.keys() & second.keys() - last.keys():
            if first[key] != second[key]:
                self._two_values(
                    setting, f"{setting.name} of {_dotted(key)}", _dotted(first[key]), _dotted(second[key])
                )
        return tuple({**first, **second, **last}.items())

    def _two_values(self, setting: Setting, subject: str, ini: Any, toml: Any) -> None:
        from pytest_delta_schema.configuration.error import setting_text

        texts = ("one value", "another") if setting.kind in _NOT_SHOWN else (setting_text(ini), setting_text(toml))
        ini_file, toml_file = map(self._shown_path, (self._config.inipath, self._project.path))
        self.faults.append(
            f"{subject} is given twice: {texts[0]} in {ini_file} ({setting.ini_key}), {texts[1]} in {toml_file}"
            f" ([{SECTION}]); keep one of them"
        )

    def _shown_path(self, path: Path | None) -> str:
        return "" if path is None else shown_path(path, self._config.rootpath)

    def _misspelt_sections(self) -> Iterator[str]:
        """Yield a message for each section whose name is nearly ours."""
        from pytest_delta_schema.configuration.section_names import misspelt_sections

        for path in files_of_pytest(self._config):
            yield from (f"{self._shown_path(path)}: {message}" for message in misspelt_sections(path))

    def _unknown_ini_keys(self) -> Iterator[str]:
        """Yield a message for each ini key that begins with ``delta_`` and that no plugin has declared."""
        path, keys = self._config.inipath, list[str]()
        try:
            if path is not None and path.is_file() and b"delta_" in path.read_bytes():
                from pytest_delta_schema.configuration.ini_files import delta_keys

                keys = delta_keys(path)
        except (OSError, ValueError):
            keys = []  # a file that pytest reads otherwise, such as one in another encoding
        for key in dict.fromkeys([*keys, *sorted(self._overridden)]):
            if not key.startswith("delta_") or self._is_declared(key):
                continue
            source = "-o" if key in self._overridden else self._shown_path(path)
            name = key.removeprefix("delta_")
            if name in TOML_KEYS:
                yield f"{source}: there is no ini key {key}; set {name} in [{SECTION}] of pyproject.toml"
            elif near := nearest(key, INI_KEYS):
                yield f"{source}: there is no ini key {key}; did you mean delta_{near}?"
            else:
                yield f"{source}: there is no ini key {key}; pytest --help lists the keys"

    def _unread_ini_keys(self) -> Iterator[str]:
        """Yield a message for each file whose keys are in a table that this pytest does not read."""
        if pytest.version_tuple >= (9,):
            return
        from pytest_delta_schema.configuration.ini_files import keys_since_pytest_9

        installed = ".".join(map(str, pytest.version_tuple[:3]))
        for name, table in SINCE_PYTEST_9.items():
            keys = keys_since_pytest_9(self._config.rootpath / name)
            if keys:
                yield (
                    f"{name}: pytest {installed} does not read [{table}], where {', '.join(keys)} is set; move it to"
                    " [tool.pytest.ini_options] of pyproject.toml, or install pytest 9"
                )

    def _is_declared(self, key: str) -> bool:
        try:
            self._config.getini(key)
        except ValueError as error:
            return "unknown configuration value" not in str(error)
        except (TypeError, pytest.UsageError):
            return True
        return True


def _dotted(name: str | tuple[str, ...]) -> str:
    return name if isinstance(name, str) else ".".join(name)

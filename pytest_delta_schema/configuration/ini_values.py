"""Turn the texts of ini files and of the command line into typed settings, or into all their faults."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.error import SettingError
from pytest_delta_schema.configuration.section import consents_of_texts
from pytest_delta_schema.configuration.toml_values import bindings_of_texts, value_from_toml

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema.settings.table import Setting

_WHOLE_NUMBER = re.compile(r"\s*[0-9]+\s*")


def value_from_text(setting: Setting, value: Any, label: str, folder: Path) -> Any:
    """Return the value of an option or an ini key as the program uses it; see :func:`value_from_toml`.

    The value is what pytest has read: a text, a number, a boolean for a flag, a list of texts for kinds with several
    values. The label is what the user calls the setting; relative paths start in the folder.

    Raises:
        SettingError: With all faults of the value.
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

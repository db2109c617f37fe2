"""The settings of a project for scripts: read from its ``pyproject.toml``, without pytest."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.ini_files import delta_keys
from pytest_delta_schema.configuration.project_file import read_project_file
from pytest_delta_schema.configuration.section import expired
from pytest_delta_schema.configuration.section_names import misspelt_sections
from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.settings.table import INI_FILES, SETTINGS
from pytest_delta_schema.settings.text import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterator


def project_settings(folder: str | PathLike[str]) -> dict[str, Any]:
    """Return the arguments of ``Settings`` from the nearest ``pyproject.toml``; see :meth:`Settings.from_project`."""
    if not isinstance(folder, (str, PathLike)):
        refuse_kind("Settings.from_project", "the folder of a project", folder, "give its path")
    start = Path(folder).absolute()
    project = read_project_file(start)
    values: dict[str, Any] = {setting.name: setting.default for setting in SETTINGS} | dict(project.values)
    consents = values["allow"]
    faults = [*project.faults, *expired(consents), *_unread_settings(start)]
    if faults:
        raise ConfigurationError("\n".join(faults))
    return {
        "properties": values["properties"],
        "default_properties": values["default_properties"],
        "enable_features": values["enable_features"],
        "owned_properties": values["owned_properties"],
        "clients": values["clients"],
        "client_features": values["client_features"],
        "consents": consents,
        "project_consents": consents,
        "compatibility": values["compatibility"],
        "max_risk": values["max_risk"],
        "protected": values["protected"],
        "bindings": values["bind"],
        "preflight": values["preflight"],
        "preflight_samples": values["preflight_samples"],
        "on_failure": values["on_failure"],
        "rules": values["rules"],
    }


def _unread_settings(folder: Path) -> Iterator[str]:
    """Yield a message for each file of the project with a misspelt section, or with ini keys, which only pytest reads.

    The project ends at the folder that has a ``pyproject.toml``, as for the search for the section.
    """
    for parent in (folder, *folder.parents):
        for name in INI_FILES:
            path = parent / name
            yield from (f"{path}: {message}" for message in misspelt_sections(path))
            try:
                keys = delta_keys(path) if path.is_file() else []
            except (OSError, ValueError) as error:
                yield f"{path}: cannot be read: {error}"
                continue
            if keys:
                names = ", ".join(key.removeprefix("delta_") for key in keys)
                yield (
                    f"{path}: {', '.join(keys)} can only be read by pytest; set {names} in [{SECTION}] of"
                    " pyproject.toml instead"
                )
        if (parent / "pyproject.toml").is_file():
            return

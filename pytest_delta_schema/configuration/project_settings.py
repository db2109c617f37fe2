"""The settings of a project for scripts, without pytest, and the rules that they name."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.configuration.files import misspelt_sections, read_project_file
from pytest_delta_schema.configuration.section import expired
from pytest_delta_schema.configuration.sources import from_sources
from pytest_delta_schema.diagnostics.errors import ConfigurationError, DeclarationError
from pytest_delta_schema.models.arguments import folder_fault, refuse
from pytest_delta_schema.settings.table import CHECKS_FOLLOW, INI_FILES, arguments_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from pytest_delta_schema.rules.rule import ModelRule, PlanRule


def project_settings(folder: str | PathLike[str]) -> dict[str, Any]:
    """Return the arguments of ``Settings`` from the nearest ``pyproject.toml``; see :meth:`Settings.from_project`."""
    refuse(folder_fault(folder, "Settings.from_project", "the folder of a project"))
    start = Path(folder).absolute()
    values, _, faults = from_sources(project=read_project_file(start))
    consents = values["allow"]
    faults = (*faults, *expired(consents), *_unread_sections(start))
    if faults:
        raise ConfigurationError("\n".join(faults))
    return {
        **arguments_of(values),
        "consents": consents,
        "project_consents": consents,
        "checks_follow": values["backend"] == CHECKS_FOLLOW,
    }


def _unread_sections(folder: Path) -> Iterator[str]:
    """Yield a message for each misspelt section in a file of the project."""
    for parent in (folder, *folder.parents):
        for name in INI_FILES:
            path = parent / name
            yield from (f"{path}: {message}" for message in misspelt_sections(path))
        if (parent / "pyproject.toml").is_file():
            return


_WORD = re.compile(r"\w+")
_MODEL_WORDS = {"Table", "table", "model"}
_PLAN_WORDS = {"CreateTable", "AlignTable", "action"}


def load_rules(names: Iterable[str]) -> tuple[tuple[ModelRule, ...], tuple[PlanRule, ...]]:
    """Import rules by their dotted names, such as ``shop.rules:NoFloats``."""
    models: list[ModelRule] = []
    plans: list[PlanRule] = []
    faults: list[str] = []
    for name in names:
        try:
            rule = _load(name)
            kind: list[Any] = plans if _takes_action(rule) else models
        except (Exception, SystemExit) as error:  # noqa: BLE001 - modules of the project may raise anything
            faults.append(f"rule {name!r} cannot be loaded, {type(error).__name__}: {error}")
        else:
            kind.append(rule)
    if faults:
        raise DeclarationError("\n".join(faults))
    return tuple(models), tuple(plans)


def _load(name: str) -> Any:
    module, separator, attribute = name.partition(":")
    if not separator or not module or not attribute:
        msg = "write it as module:name, such as shop.rules:NoFloats"
        raise ValueError(msg)
    value: Any = import_module(module)
    for part in attribute.split("."):
        value = getattr(value, part)
    return value() if isinstance(value, type) else value


def _takes_action(rule: Any) -> bool:
    """Whether a rule is for plans; one that is neither for plans nor for declarations is an error."""
    parameter = next(iter(inspect.signature(rule.check).parameters.values()), None)
    if parameter is not None:
        annotation = parameter.annotation
        text = "" if annotation is parameter.empty else getattr(annotation, "__name__", str(annotation))
        for words in (set(_WORD.findall(text)), {parameter.name}):
            if words & _PLAN_WORDS:
                return True
            if words & _MODEL_WORDS:
                return False
    msg = "its check takes neither a Table nor an action; call the parameter table or action"
    raise TypeError(msg)

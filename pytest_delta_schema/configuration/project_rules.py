"""Load the rules that a project names: ``shop.rules:NoFloats``."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import DeclarationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.rules.rule import ModelRule, PlanRule

_WORD = re.compile(r"\w+")
_MODEL_WORDS = {"Table", "table", "model"}
_PLAN_WORDS = {"CreateTable", "AlignTable", "action"}


def load_rules(names: Iterable[str]) -> tuple[tuple[ModelRule, ...], tuple[PlanRule, ...]]:
    """Import rules by their dotted names, such as ``shop.rules:NoFloats``.

    A class is called without arguments; another object is the rule itself. A rule whose ``check`` takes a ``Table`` is
    for declarations, one whose ``check`` takes a ``CreateTable`` or ``AlignTable`` is for plans; without annotations
    the name of the parameter decides, ``table`` or ``action``. The result has the rules for declarations, and those for
    plans.

    Raises:
        DeclarationError: With every name that names no rule.
    """
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

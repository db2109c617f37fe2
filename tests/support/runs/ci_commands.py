"""Commands in a log, read by the rules of the runner of GitHub Actions and of the agent of Azure Pipelines."""

from __future__ import annotations

import re
from typing import NamedTuple

_LINE_END = r"\r\n|\r|\n"
_WITHOUT_WEIGHT = (
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
"""Characters that do not count when .NET compares texts by culture, as GitHub's runner does."""


class CiCommand(NamedTuple):
    """A command that a service would run.

    Args:
        form: How it begins: ``::``, ``##[`` or ``##vso[``.
        name: Such as ``error`` or ``task.logissue``.
        line: The whole line.
    """

    form: str
    name: str
    line: str


def ci_commands(log: str) -> list[CiCommand]:
    """Return the commands in a log, whether a service knows their names or not."""
    commands = []
    for line in re.split(_LINE_END, log):
        text = re.sub(_WITHOUT_WEIGHT, "", line)
        commands += _newer(text, line) + _older(text, line, "##[") + _older(text, line, "##vso[")
    return commands


def _newer(text: str, line: str) -> list[CiCommand]:
    """Read ``::name key=value::message`` at the start of a line, after white space."""
    text = text.lstrip()
    if not text.startswith("::") or "::" not in text[2:]:
        return []
    return [CiCommand("::", text[2:].partition("::")[0].partition(" ")[0], line)]


def _older(text: str, line: str, form: str) -> list[CiCommand]:
    """Read ``##[name key=value]message`` or ``##vso[area.action key=value]message`` anywhere in a line.

    The services look at the first one in a line only; here each counts.
    """
    parts = text.split(form)[1:]
    return [CiCommand(form, part.partition("]")[0].partition(" ")[0], line) for part in parts if "]" in part]

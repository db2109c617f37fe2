"""What a run of pytest shows and writes: commands in its log, and results in a form that equal runs share."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from pytest import RunResult  # noqa: PT013 - a name of types only


_LINE_END = r"\r\n|\r|\n"
_WITHOUT_WEIGHT = (
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
"""Characters that do not count when .NET compares texts by culture, as GitHub's runner does."""


class CiCommand(NamedTuple):
    """A command that a service would run."""

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


COLOUR = re.compile(r"\x1b\[[\d;]*m")
HEADER = re.compile(r"=+ (.*?) =+")
SNAPSHOT_HEADER = re.compile(r"-+ snapshot report summary -+")
SNAPSHOTS = "snapshot report summary"
UNDECLARED = " is of a table that is not declared"
"""In lines that follow the last failure, whichever that is, as annotations and names of reports do."""
TITLE = re.compile(r"_+ (.*?) _+")
WORKER = re.compile(r"\[gw\d+\] \w+ -- Python .*")
VARYING = ("what a code means:", "- generated xml file:")
"""Lines of no worth here: the codes of the first three reports, and the path of a file."""
UNUSED = "delta.unused"
"""A property of the first check in each process, about the whole run."""
SECONDS = re.compile(r" in [\d.]+s( \([\d:]+\))?$")


def shown_and_written(result: RunResult, folder: Path) -> dict[str, Any]:
    """Return the exit code, the sections of the terminal, and the files of a run."""
    sections = _sections(result.outlines)
    shown: dict[str, Any] = {
        "code": result.ret,
        "errors": [line for line in result.errlines if line],
        **{name: _blocks(lines) for name, lines in sections.items() if name in {"ERRORS", "FAILURES", "PASSES"}},
        "delta schema": sections.get("delta schema", []),
        "after failures": sorted(sections.get(SNAPSHOTS, [])),
        "summary": sorted(sections.get("short test summary info", [])),
        "snapshots": {
            path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("__snapshots__/**/*.*")
        },
    }
    for name, read in {"report.xml": _junit, "report.json": _report, "summary.md": _text}.items():
        if (folder / name).exists():
            shown[name] = read(folder / name)
    return shown


def _sections(lines: list[str]) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    name = ""
    for line in (SECONDS.sub("", line) for line in lines if not line.startswith(VARYING)):
        plain = COLOUR.sub("", line)
        header = HEADER.fullmatch(plain)
        name = header[1] if header else SNAPSHOTS if SNAPSHOT_HEADER.match(plain) else name
        end = SNAPSHOTS if plain.startswith(("::", "delta schema: ")) or UNDECLARED in plain else name
        if header is None:
            sections.setdefault(end, []).append(line)
    return sections


def _blocks(lines: list[str]) -> dict[str, list[str]]:
    blocks: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        plain = COLOUR.sub("", line)
        title = TITLE.fullmatch(plain)
        name = title[1] if title else name
        if title is None and not WORKER.fullmatch(plain) and line:
            blocks.setdefault(name, []).append(line)
    return blocks


def _junit(path: Path) -> Any:
    (suite,) = ET.parse(path).iter("testsuite")
    whole_run = sorted({item.get("value", "") for item in suite.iter("property") if item.get("name") == UNUSED})
    cases = {
        (case.get("classname"), case.get("name")): (
            [item.attrib for item in case.iter("property") if item.get("name") != UNUSED],
            [
                (part.tag, part.get("message"), part.text)
                for part in case
                if part.tag in {"failure", "error", "skipped"}
            ],
        )
        for case in suite.iter("testcase")
    }
    return whole_run, cases


def _report(path: Path) -> Any:
    report = json.loads(path.read_text("utf-8"))
    for run in (*report["runs"], *report["tables"]):
        run.pop("created")
        run.pop("seconds", None)
    return report


def _text(path: Path) -> str:
    return path.read_text("utf-8")


def failures(result: RunResult) -> dict[str, list[str]]:
    """Return the lines of each failure and error, by the name of its test."""
    shown: dict[str, list[str]] = {}
    section: list[str] = []
    for line in result.outlines:
        if title := TITLE.fullmatch(line):
            section = shown.setdefault(title[1], [])
        elif HEADER.fullmatch(line):
            section = []
        else:
            section.append(line)
    return shown

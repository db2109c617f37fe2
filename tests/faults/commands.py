"""Hostile texts in every place of a table: no line of the output is a command for a CI system, but those of reports."""

from __future__ import annotations

import json
import re
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

from faults.bench import run_pytest, write_settings
from faults.cases import Area, require
from pytest_delta_schema.commands.cli import main
from pytest_delta_schema.diagnostics.text import HIDDEN
from support.hostile_project import write_hostile_project
from support.runs import ci_commands

if TYPE_CHECKING:
    from pathlib import Path

    from faults.bench import Bench

TEXTS: dict[str, str] = {
    "GitHub": "a\n::set-output name=owned::b",
    "GitHub at the start": "::add-mask::owned",
    "GitHub after white space": "a\n \u00a0\u3000::stop-commands::owned",
    "GitHub by culture": "a\n\u200d:\u034f:error::owned",
    "GitHub after a carriage return": "a\r::error::owned",
    "GitHub after other line ends": "a\x0b::error::owned\x0c::error::owned\u2028::error::owned\x85::error::owned",
    "older GitHub": "a ##[add-mask]owned",
    "older GitHub by culture": "a #\u200d#\u034f[add-mask]owned",
    "Azure": "a ##vso[task.setvariable variable=PATH]owned",
    "Azure by culture": "a #\u200c#v\ufe0fso[task.complete result=Succeeded;]owned",
    "both": "##vso[##[##vso[task.complete]owned]]",
    "halves": "[add-mask]owned##",
    "escape sequences": "a\x1b[2K\x1b]0;x\x07\x1b[31m\x9b1m::error::owned",
    "directions": "a\u202e\u061c\u2066##[group]owned\u2069",
    "not shown": "a\x00\u200b\ufeff\u2060\t##[warning]owned\x7f",
}
TEXTS["all"] = " ".join(TEXTS.values())

RUNS: dict[str, tuple[str, ...]] = {
    "checks": ("models.py",),
    "quiet": ("models.py", "--delta-drift", "-q"),
    "drift": ("models.py", "--delta-drift", "--delta-preflight=count", "--delta-report=json:report.json"),
    "apply": ("models.py", "--delta-apply", "--delta-set=on_failure=restore"),
    "enforce": ("models.py", "--delta-enforce"),
    "annotations": ("models.py", "--delta-drift", "--delta-report=github", "--delta-report=azure"),
    "library": ("test_library.py", "--showlocals", "--delta-backend=memory"),
    "log": (
        *("test_library.py", "-oaddopts=--delta-drift", "models.py"),
        *("-olog_cli=true", "-olog_cli_level=DEBUG", "-olog_level=DEBUG"),
    ),
    "colours": ("test_library.py", "models.py", "-oaddopts=--delta-drift", "--color=yes"),
    "snapshots": ("models.py",),
}
_SETTINGS = ('models = ["models"]', 'backend = "memory"', 'unmanaged = "report"', "owned_properties = true")
_OWN = re.compile(
    r"::(error|warning) (file|title)=|::(error|warning)::delta schema: and |##vso\[task\.logissue type=(error|warning)[;\]]"
)
_COLOUR = r"\x1b\[[0-9;]*m"


def require_no_command(text: str, where: str, *, has_reports: bool = False) -> None:
    """Fail the case if a service or a terminal would obey something in a text, but annotations of this package."""
    foreign = [command for command in ci_commands(text) if not (has_reports and _OWN.match(command.line))]
    require(not foreign, f"{where} has the command {foreign[:1]}")
    lines = [line for line in text.splitlines() if has_reports and _OWN.match(line)]
    require(len(ci_commands("\n".join(lines))) == len(lines), f"a line of {where} has two commands")
    hidden = re.search(HIDDEN, text.replace("\n", " "))
    around = "" if hidden is None else text[max(0, hidden.start() - 80) : hidden.end() + 40]
    require(hidden is None, f"{where} has a character that is obeyed or not shown: {around!r}")


def _run(run: str, text: str, bench: Bench) -> None:
    folder = bench.new_folder(run)
    write_hostile_project(folder, TEXTS[text])
    write_settings(folder, *_SETTINGS)
    if run == "snapshots":
        run_pytest(folder, ["models.py", "--snapshot-update", "-q"])
        for path in (folder / "__snapshots__").rglob("*.sql"):
            path.write_text(path.read_text("utf-8").replace("STRING", "INT"), "utf-8")
    verbosity = [] if run == "quiet" else ["-vv"]
    output = run_pytest(folder, [*RUNS[run], *verbosity, "-rA", "--junitxml=report.xml"]).stdout
    require("INTERNALERROR" not in output, f"pytest broke: {output[-600:]}")
    require("owned" in output, "the output has no hostile text")
    if run == "colours":
        require_no_command(re.sub(_COLOUR, "", output), "the output")
    else:
        require_no_command(output, "the output", has_reports=run == "annotations")
        require_no_command(_read(folder / "report.xml"), "the JUnit file")
    if run == "drift":
        merged = StringIO()
        with redirect_stdout(merged):
            code = main(["merge", str(folder / "report.json")])
        require(code == 0, f"merge ended with {code}")
        require_no_command(merged.getvalue(), "the output of merge")
        tables = [json.loads(report)["tables"] for report in (merged.getvalue(), _read(folder / "report.json"))]
        require(tables[0] == tables[1], "merge changed a text")
    bench.clean(folder)


def _read(path: Path) -> str:
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
        return file.read()


AREA = Area(
    name="commands",
    title="commands in logs",
    cases=lambda: {f"{run}/{text}": partial(_run, run, text) for text in TEXTS for run in RUNS},
    sample=0,
)

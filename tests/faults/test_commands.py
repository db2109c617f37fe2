"""No line of an output is a command, for all hostile texts at once; ``make test-faults`` tries each alone."""

from __future__ import annotations

import pytest

from faults.bench import Bench
from faults.cases import SURVIVED, BrokenInvariantError, Case, run_case
from faults.commands import AREA, RUNS, require_no_command
from support.runs import ci_commands


@pytest.mark.parametrize("run", RUNS)
def test_survives(run, tmp_path):
    case = Case(area=AREA.name, name=f"{run}/all", values={"run": run, "text": "all"})

    outcome = run_case(AREA, case, Bench(tmp_path, 1))

    assert (outcome.status, outcome.reason) == (SURVIVED, "")


@pytest.mark.parametrize(
    ("log", "commands"),
    [
        ("a ::error::b\n:: c\n##vso task.x]", []),
        ("::error file=a.py,line=1::b", [("::", "error")]),
        ("a\r \u00a0\t::add-mask::b", [("::", "add-mask")]),
        ("\u200d:\u034f:stop-commands::b", [("::", "stop-commands")]),
        ("a ##[group]b ##[add-mask x=y]c", [("##[", "group"), ("##[", "add-mask")]),
        ("a #\u200c#vs\ufe0fo[task.setvariable variable=PATH;]b", [("##vso[", "task.setvariable")]),
        ("##[a\n]", []),
    ],
)
def test_commands_are_found_as_the_services_find_them(log, commands):
    assert [(command.form, command.name) for command in ci_commands(log)] == commands


@pytest.mark.parametrize(
    "text",
    [
        "::error::owned",
        "::error file=a::b ##[add-mask]c",
        "##vso[task.logissue type=error]b ##vso[task.complete]",
        "\x1b[m",
    ],
)
def test_a_command_and_an_escape_sequence_fail_a_case(text):
    with pytest.raises(BrokenInvariantError):
        require_no_command(text, "it", has_reports=True)


def test_annotations_of_this_package_are_allowed():
    own = (
        "::error file=a.py,line=1::b\n##vso[task.logissue type=error;code=DS201]b\n::warning::delta schema: and 2 more"
    )

    require_no_command(own, "it", has_reports=True)

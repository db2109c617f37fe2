"""Nothing that models, catalogs, servers or users say reaches a terminal or a report as it could be obeyed."""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema.diagnostics.text import HIDDEN
from support.runs.ci_commands import ci_commands
from support.runs.hostile_project import write_hostile_project

BAD = "x\x1b[31m\x00\x07\x7f\x85\x9b\u202e\u2028\u200b\r\t\n::error::owned ##[add-mask]x ##vso[task.complete]x"


@pytest.fixture
def hostile(project):
    project.ini("delta_models = models", "delta_unmanaged = report", "delta_owned_properties = true")
    write_hostile_project(project.path, BAD)
    return project


def outputs(project, *args):
    """Run pytest, and return all that it has written."""
    result = project.run(*args, "-vv", "-rA", "--junitxml=report.xml", subprocess=True)
    files = ("stdout", "stderr", *(["report.xml"] if result.ret == 1 else []))
    return result, {name: project.path.joinpath(name).read_bytes().decode("utf-8", "surrogatepass") for name in files}


def check(texts):
    for name, text in texts.items():
        hidden = [
            text[max(0, match.start() - 60) : match.end() + 20]
            for match in re.finditer(HIDDEN, text.replace("\n", " "))
        ]
        assert not hidden, (name, hidden[:5])
        assert ci_commands(text) == [], name


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--delta-drift", "--delta-preflight=count"),
        ("--delta-apply", "--delta-on-failure=restore"),
        ("--delta-apply", "--delta-on-failure=restore", "-n1"),
    ],
    ids=" ".join,
)
def test_nothing_is_obeyed(hostile, args):
    result, texts = outputs(hostile, "models.py", *args, "--delta-backend=memory")

    assert result.ret == 1
    assert "INTERNALERROR" not in texts["stdout"]
    assert "Traceback" not in texts["stdout"]
    assert "x\\u001b[31m\\u0000\\u0007\\u007f\\u0085\\u009b\\u202e\\u2028\\u200b" in texts["stdout"]
    check(texts)


def test_usage_errors_are_escaped(hostile):
    hostile.ini(
        "delta_models = models",
        "delta_bind = dev.silver=ci."
        + BAD.partition("\r")[0].replace("\x00", "").replace("\x85", "").replace("\u2028", ""),
    )

    for arg in (
        "--delta-allow=drop-column dev.silver.orders." + BAD.replace("\x00", ""),
        "--delta-allow=drop-column dev.silver.none.`" + BAD.replace("\x00", "") + "`",
        "--delta-bind=a=" + BAD.replace("\x00", ""),
        "--delta-backend=" + BAD.replace("\x00", ""),
        "--delta-max-risk=" + BAD.replace("\x00", ""),
    ):
        result, texts = outputs(hostile, "--delta-drift", arg)
        assert result.ret == pytest.ExitCode.USAGE_ERROR, arg
        check(texts)

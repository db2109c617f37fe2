"""Outcomes on reports: where they point to, and texts of newer clients, hostile texts and secrets in them."""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema.diagnostics.text import HIDDEN
from support.hostile_project import write_hostile_project
from support.runs import ci_commands

BAD = "x\x1b[31m\x00\x07\x7f\x85\x9b\u202e\u2028\u200b\r\t\n::error::owned ##[add-mask]x ##vso[task.complete]x"


@pytest.fixture
def hostile(project):
    project.settings('models = ["models"]', 'unmanaged = "report"', "owned_properties = true")
    write_hostile_project(project.path, BAD)
    return project


def outputs(project, *args):
    """Run pytest, and return all that it has written."""
    result = project.run(*args, "-vv", "-rA", "--junitxml=report.xml", subprocess=True)
    files = ("stdout", "stderr", *(["report.xml"] if result.ret == 1 else []))
    return result, {name: project.path.joinpath(name).read_bytes().decode("utf-8", "surrogatepass") for name in files}


MEMORY = "--delta-backend=memory"


def check(texts):
    for name, text in texts.items():
        hidden = [
            text[max(0, match.start() - 60) : match.end() + 20]
            for match in re.finditer(HIDDEN, text.replace("\n", " "))
        ]
        assert not hidden, (name, hidden[:5])
        assert ci_commands(text) == [], name


def test_nothing_is_obeyed(hostile):
    result, texts = outputs(hostile, "models.py", "--delta-apply", "--delta-set=on_failure=restore", MEMORY)

    assert result.ret == 1
    assert "INTERNALERROR" not in texts["stdout"]
    assert "Traceback" not in texts["stdout"]
    assert "x\\u001b[31m\\u0000\\u0007\\u007f\\u0085\\u009b\\u202e\\u2028\\u200b" in texts["stdout"]
    check(texts)


SECRETS = {
    "src": "postgres://u:S3cret@h/db",
    "parameter": "https://h/x;token=S3cret",
    "settings": "host=h password=S3cret",
    "db.pwd": "S3cret",
    "api_token": "S3cret",
}
MODELS = f"""
names = {[*SECRETS]}
orders = table("dev.silver.orders", Column("id", LongType()), table_properties=dict.fromkeys(names, "other"))
gone = table("dev.silver.gone", Column("id", LongType()), table_properties=dict.fromkeys(names))
"""
CATALOG = f"""MemoryCatalog([
    stored("dev.silver.orders", OLD, table_properties={SECRETS}),
    stored("dev.silver.gone", OLD, table_properties={SECRETS}),
])"""
REPORTS = ("json", "markdown", "html", "sarif", "gitlab")
PRINTED = ("--delta-report=github",)


def test_no_output_of_a_run_shows_secrets_in_properties_of_the_catalog(project):
    project.models(MODELS)
    project.catalog(CATALOG)
    reports = [f"--delta-report={kind}:out.{kind}" for kind in REPORTS]

    result = project.run("--delta-drift", "-m", "delta_drift", "-rA", "-vv", "--junitxml=junit.xml", *reports, *PRINTED)

    result.assert_outcomes(failed=2)
    outputs = {name: (project.path / name).read_text() for name in ["junit.xml", *(f"out.{kind}" for kind in REPORTS)]}
    outputs["terminal"] = result.stdout.str() + result.stderr.str()
    assert {name for name, text in outputs.items() if "src" not in text} == set()
    assert {name for name, text in outputs.items() if "S3cret" in text} == set()

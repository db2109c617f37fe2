"""Annotations of GitHub Actions and issues of Azure Pipelines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import TableChange
from pytest_delta_schema.report.ci_formats import SHOWN, azure_lines, github_lines
from pytest_delta_schema.report.run_report import Consents
from support.reports.run_reports import BLOCKED, DRIFTED, IN_SYNC, sample_report

NOTHING = {"unmanaged": (), "consents": Consents()}


def test_github():
    assert github_lines(sample_report(DRIFTED, BLOCKED, **NOTHING)) == (
        (
            "::error file=shop/models.py,line=30,col=1,title=DS201 dev.silver.customers::dev.silver.customers: column legacy"
            " would be dropped; consent with allow = ['drop-column dev.silver.customers.legacy']"
        ),
        (
            "::error file=shop/models.py,line=30,col=1,title=DD103 dev.silver.customers::dev.silver.customers:"
            " columns.legacy: string -> (absent) [destructive]"
        ),
        (
            "::error file=shop/models.py,line=13,col=9,title=DD104 dev.silver.orders::dev.silver.orders:"
            " columns.amount.type: int -> bigint [feature: readers without type widening]"
        ),
        (
            "::error file=shop/models.py,line=14,col=9,title=DD102 dev.silver.orders::dev.silver.orders:"
            " columns.note: (absent) -> string 'free text'"
        ),
    )


def test_azure():
    assert azure_lines(sample_report(BLOCKED, **NOTHING)) == (
        (
            "##vso[task.logissue type=error;sourcepath=shop/models.py;linenumber=30;columnnumber=1;code=DS201]"
            "dev.silver.customers: column legacy would be dropped; consent with allow = ['drop-column"
            " dev.silver.customers.legacy']"
        ),
        (
            "##vso[task.logissue type=error;sourcepath=shop/models.py;linenumber=30;columnnumber=1;code=DD103]"
            "dev.silver.customers: columns.legacy: string -> (absent) [destructive]"
        ),
    )


@pytest.mark.parametrize("lines", [github_lines, azure_lines])
def test_nothing_is_wrong(lines):
    assert lines(sample_report(IN_SYNC, **NOTHING)) == ()


def many(number, severity="error"):
    diagnostics = tuple(
        Diagnostic(severity=severity, table="t", path=f"columns.c{index}", message=f"fault {index:03}")
        for index in range(number)
    )
    parts = {"diagnostics": diagnostics} if severity == "error" else {"notes": diagnostics}
    return replace(IN_SYNC, **parts)


@pytest.mark.parametrize(
    ("number", "last"),
    [
        (9, "fault 008"),
        (10, "and 1 more {}; the log of the run has them all"),
        (500, "and 491 more {}s; the log of the run has them all"),
    ],
)
@pytest.mark.parametrize("severity", ["error", "warning"])
@pytest.mark.parametrize("lines", [github_lines, azure_lines])
def test_at_most_ten_of_each(lines, severity, number, last):
    shown = lines(sample_report(many(number, severity), **NOTHING))

    assert len(shown) == min(number, SHOWN + 1)
    assert shown[-1].endswith(last.format(severity))


def test_the_line_that_counts():
    assert github_lines(sample_report(many(11), **NOTHING))[-1] == (
        "::error::delta schema: and 2 more errors; the log of the run has them all"
    )
    assert azure_lines(sample_report(many(11), **NOTHING))[-1] == (
        "##vso[task.logissue type=error]delta schema: and 2 more errors; the log of the run has them all"
    )


HOSTILE = "a::b,c;d]e%0A%25\r\n::error::x ##vso[task.complete]\x1b[31m\u202eevil`|</details><script>"
SHOWN_AS = r"a::b,c;d]e%0A%25\r\n::error::x ##vso\[task.complete]\u001b[31m\u202eevil`|</details><script>"


def decoded(text, codes):
    """Decode as the runners do: one code after the other, the escape of the escape last."""
    for code, character in codes.items():
        text = text.replace(code, character)
    return text


def hostile():
    change = TableChange(
        table=f"ci.{HOSTILE}", marker="+", path=f"columns.{HOSTILE}", before="(absent)", after=HOSTILE, code="DD102",
        location=Location(f"shop/{HOSTILE}.py", 3, 5),
    )  # fmt: skip
    return sample_report(
        replace(DRIFTED, name=f"dev.{HOSTILE}", stored_as=f"ci.{HOSTILE}", changes=(change,)), **NOTHING
    )


def test_hostile_texts_of_github_are_read_back():
    (line,) = github_lines(hostile())
    assert line.isprintable()
    _, _, rest = line.partition("::error ")
    properties, _, message = rest.partition("::")
    # The properties hold none of the characters that end them.
    pairs = dict(pair.split("=", 1) for pair in properties.split(","))
    codes = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}

    assert {key: decoded(value, codes) for key, value in pairs.items()} == {
        "file": f"shop/{SHOWN_AS}.py",
        "line": "3",
        "col": "5",
        "title": f"DD102 dev.{SHOWN_AS}",
    }
    assert decoded(message, {"%0D": "\r", "%0A": "\n", "%25": "%"}) == (
        f"dev.{SHOWN_AS}: columns.{SHOWN_AS}: (absent) -> {SHOWN_AS}"
    )


def test_hostile_texts_of_azure_are_read_back():
    (line,) = azure_lines(hostile())
    assert line.isprintable()
    _, _, rest = line.partition("##vso[task.logissue ")
    properties, _, message = rest.partition("]")
    pairs = dict(pair.split("=", 1) for pair in properties.split(";"))
    codes = {"%0D": "\r", "%0A": "\n", "%3B": ";", "%5D": "]", "%AZP25": "%"}

    assert {key: decoded(value, codes) for key, value in pairs.items()} == {
        "type": "error",
        "sourcepath": f"shop/{SHOWN_AS}.py",
        "linenumber": "3",
        "columnnumber": "5",
        "code": "DD102",
    }
    assert decoded(message, {"%0D": "\r", "%0A": "\n", "%AZP25": "%"}) == (
        f"dev.{SHOWN_AS}: columns.{SHOWN_AS}: (absent) -> {SHOWN_AS}"
    )

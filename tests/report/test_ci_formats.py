"""The formats of CI systems: GitLab, SARIF and workflow commands, with hostile texts."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from sarif_pydantic import Sarif

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import DataChecks, Status, TableChange
from pytest_delta_schema.report.ci_formats import (
    SHOWN,
    azure_lines,
    github_lines,
    sarif_json,
)
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.report.run_report import Consents, Run, findings
from pytest_delta_schema.settings.table import ReportType
from support.reports import BLOCKED, DRIFTED, IN_SYNC, RUN, UNREADABLE, sample_report
from support.snapshots import TextSnapshot


def test_every_type_has_a_format():
    assert set(FORMATS) == set(get_args(ReportType))


def referring(table, parent):
    return replace(table, declared={"foreign_keys": [{"name": "fk", "columns": ["id"], "parent": parent}]})


def everything():
    """Return a report of two runs, of which one is incomplete, with every kind of finding."""
    fault = Diagnostic(table="", message="the server does not answer", remedy="start it")
    snapshot = Diagnostic(code="DS127", table="dev.silver.orders", message="its SQL is not the one in the snapshot")
    notes = tuple(Diagnostic(severity=severity, table="t", message=severity) for severity in ("warning", "note"))
    blocked = replace(BLOCKED, diagnostics=(replace(BLOCKED.diagnostics[0], samples="id = 1, 2"),))
    restore = "RESTORE TABLE `ci`.`silver`.`orders` TO VERSION AS OF 7"
    applied = replace(
        DRIFTED, name="dev.silver.applied", mode="apply", status=Status.APPLIED, data_checks=DataChecks.PASSED,
        restore_version=7, restore_sql=restore, statements=(replace(DRIFTED.statements[0], has_run=True),),
    )  # fmt: skip
    failed = replace(UNREADABLE, name="dev.silver.failed", diagnostics=(), failure="first line\nsecond line")
    targets = [replace(IN_SYNC, target=target * 16) for target in "ab"]
    drifted = referring(replace(DRIFTED, diagnostics=(snapshot,)), "ci.silver.customers")
    runs = (replace(RUN, is_complete=False), Run(mode="check", tool_version="0.1.0"), RUN)
    tables = (UNREADABLE, failed, blocked, drifted, applied, replace(IN_SYNC, notes=notes), *targets)
    return sample_report(*tables, faults=(fault,), runs=runs)


@pytest.mark.parametrize("report", [sample_report, everything], ids=["sample", "everything"])
@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"html"}))
def test_the_text_of_each_format(form, report, snapshot):
    content = FORMATS[form].write(report())

    assert ("\n".join([*content, ""]) if isinstance(content, tuple) else content) == snapshot(
        extension_class=TextSnapshot
    )


NOTHING = {"unmanaged": (), "consents": Consents()}


HOSTILE = "a::b%0A\n`|</details><script>\x1b\u202e"


def test_a_library_reads_it_back():
    hostile = Diagnostic(table="t", message=HOSTILE, path=HOSTILE, location=Location("shop/ä b#?.py", 2))
    report = sample_report(replace(BLOCKED, name=f"dev.{HOSTILE}", diagnostics=(hostile,)), DRIFTED)

    log = Sarif.model_validate_json(sarif_json(report))

    shown = findings(report)
    results = log.runs[0].results
    assert [result.rule_id for result in results] == [finding.code or "delta-schema" for finding in shown]
    assert all(result.message.text.isprintable() for result in results)
    locations = [result.locations[0].physical_location for result in results]
    assert [location.region.start_line for location in locations] == [finding.location.line for finding in shown]
    assert "shop/%C3%A4%20b%23%3F.py" in {location.artifact_location.uri for location in locations}


def many(number, severity="error"):
    diagnostics = tuple(
        Diagnostic(severity=severity, table="t", path=f"columns.c{index}", message=f"fault {index:03}")
        for index in range(number)
    )
    parts = {"diagnostics": diagnostics} if severity == "error" else {"notes": diagnostics}
    return replace(IN_SYNC, **parts)


@pytest.mark.parametrize(
    ("lines", "start"),
    [(github_lines, "::{}::"), (azure_lines, "##vso[task.logissue type={}]")],
    ids=["GitHub", "Azure"],
)
def test_at_most_ten_of_each(lines, start):
    more = "delta schema: and {} more {}; the log of the run has them all"
    for severity in ("error", "warning"):
        shown = {number: lines(sample_report(many(number, severity), **NOTHING)) for number in (9, 10, 500)}

        assert [len(of_number) for of_number in shown.values()] == [9, SHOWN + 1, SHOWN + 1]
        assert shown[9][-1].endswith("fault 008")
        assert shown[10][-1] == start.format(severity) + more.format(1, severity)
        assert shown[500][-1] == start.format(severity) + more.format(491, f"{severity}s")


HOSTILE_TEXT = "a::b,c;d]e%0A%25\r\n::error::x ##vso[task.complete]\x1b[31m\u202eevil`|</details><script>"
SHOWN_AS = r"a::b,c;d]e%0A%25\r\n::error::x ##vso\[task.complete]\u001b[31m\u202eevil`|</details><script>"


def decoded(text, codes):
    """Decode as the runners do: one code after the other, the escape of the escape last."""
    for code, character in codes.items():
        text = text.replace(code, character)
    return text


def hostile():
    change = TableChange(
        table=f"ci.{HOSTILE_TEXT}", marker="+", path=f"columns.{HOSTILE_TEXT}", before="(absent)", after=HOSTILE_TEXT, code="DD102",
        location=Location(f"shop/{HOSTILE_TEXT}.py", 3, 5),
    )  # fmt: skip
    return sample_report(
        replace(DRIFTED, name=f"dev.{HOSTILE_TEXT}", stored_as=f"ci.{HOSTILE_TEXT}", changes=(change,)),
        **NOTHING,
    )


@pytest.mark.parametrize(
    ("lines", "start", "end", "separator", "codes", "names", "rest"),
    [
        (
            github_lines,
            "::error ",
            "::",
            ",",
            {"%3A": ":", "%2C": ",", "%25": "%"},
            ("file", "line", "col"),
            {"title": f"DD102 dev.{SHOWN_AS}"},
        ),
        (
            azure_lines,
            "##vso[task.logissue type=error;",
            "]",
            ";",
            {"%3B": ";", "%5D": "]", "%AZP25": "%"},
            ("sourcepath", "linenumber", "columnnumber"),
            {"code": "DD102"},
        ),
    ],
    ids=["GitHub", "Azure"],
)
def test_hostile_texts_are_read_back(lines, start, end, separator, codes, names, rest):
    (line,) = lines(hostile())
    properties, _, message = line.removeprefix(start).partition(end)
    # The properties hold none of the characters that end them.
    pairs = dict(pair.split("=", 1) for pair in properties.split(separator))
    ends = {"%0D": "\r", "%0A": "\n"}
    file, *position = (decoded(pairs.pop(name), ends | codes) for name in names)

    assert line.isprintable()
    assert (file, position) == (f"shop/{SHOWN_AS}.py", ["3", "5"])
    assert {key: decoded(value, ends | codes) for key, value in pairs.items()} == rest
    assert decoded(message, ends | dict([[*codes.items()][-1]])) == (
        f"dev.{SHOWN_AS}: columns.{SHOWN_AS}: (absent) -> {SHOWN_AS}"
    )

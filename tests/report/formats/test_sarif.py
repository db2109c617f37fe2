"""The SARIF file."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sarif_pydantic import Sarif

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.report.ci_formats import MOST_RESULTS, sarif_json
from pytest_delta_schema.report.run_report import Consents, Run, findings
from support.reports.run_reports import BLOCKED, DRIFTED, IN_SYNC, RUN, UNREADABLE, sample_report

NOTHING = {"unmanaged": (), "consents": Consents()}
HOSTILE = "a::b%0A\n`|</details><script>\x1b\u202e"


def only_run(report):
    (run,) = json.loads(sarif_json(report))["runs"]
    return run


def test_a_result():
    report = sample_report(DRIFTED, **NOTHING)

    assert only_run(report)["results"][0] == {
        "ruleId": "DD104",
        "ruleIndex": 1,
        "level": "error",
        "rank": 50.0,
        "message": {
            "text": "dev.silver.orders: columns.amount.type: int -> bigint [feature: readers without type widening]"
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "shop/models.py", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 13, "startColumn": 9, "endLine": 13},
                }
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": findings(report)[0].fingerprint},
        "properties": {"table": "dev.silver.orders", "path": "columns.amount.type", "risk": "feature"},
    }


def test_what_code_scanning_requires():
    run = only_run(sample_report(UNREADABLE, BLOCKED, DRIFTED, IN_SYNC))
    rules = run["tool"]["driver"]["rules"]

    assert run["tool"]["driver"]["name"] == "pytest-delta-schema"
    assert run["tool"]["driver"]["version"] == "0.1.0"
    assert run["automationDetails"] == {"id": "delta-schema/drift/"}
    for rule in rules:
        assert rule["id"]
        for key in ("shortDescription", "fullDescription", "help"):
            assert rule[key]["text"].strip()
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"]
        assert result["partialFingerprints"]["primaryLocationLineHash"]


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


@pytest.mark.parametrize(
    ("parts", "is_successful"),
    [
        ({}, True),
        ({"runs": (replace(RUN, is_complete=False),)}, False),
        ({"faults": (Diagnostic(table="", message="no server"),)}, False),
    ],
)
def test_whether_the_run_was_successful(parts, is_successful):
    assert only_run(sample_report(DRIFTED, **parts))["invocations"] == [{"executionSuccessful": is_successful}]


def test_merged_runs_are_one_category():
    runs = (RUN, Run(mode="check", tool_version="0.1.0"), RUN)

    assert only_run(sample_report(DRIFTED, runs=runs))["automationDetails"] == {"id": "delta-schema/drift+check/"}


def test_the_worst_results_are_kept():
    changes = tuple(replace(DRIFTED.changes[0], path=f"columns.c{index}") for index in range(MOST_RESULTS))
    run = only_run(sample_report(replace(DRIFTED, changes=changes), BLOCKED, **NOTHING))

    assert len(run["results"]) == MOST_RESULTS
    assert [result["ruleId"] for result in run["results"][:2]] == ["DS201", "DD103"]
    assert run["invocations"][0]["toolExecutionNotifications"] == [
        {"level": "warning", "message": {"text": "2 of 5002 results omitted, the least severe"}}
    ]


def test_nothing_is_wrong():
    run = only_run(sample_report(IN_SYNC, **NOTHING))

    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


@pytest.mark.parametrize(
    ("risk", "level", "rank"),
    [
        ("metadata", "warning", 25.0),
        ("feature", "error", 50.0),
        ("scan", "error", 50.0),
        ("rewrite", "error", 75.0),
        ("destructive", "error", 100.0),
    ],
)
def test_a_result_has_the_level_of_its_risk(risk, level, rank):
    table = replace(DRIFTED, changes=(replace(DRIFTED.changes[0], risk=risk),))

    (result,) = only_run(sample_report(table, **NOTHING))["results"]

    assert (result["level"], result["rank"]) == (level, rank)


def test_a_remark_is_a_note_and_what_cannot_be_read_is_an_error():
    remarks = tuple(Diagnostic(severity=severity, table="t", message=severity) for severity in ("warning", "note"))
    unreadable, warned = only_run(sample_report(UNREADABLE, replace(IN_SYNC, notes=remarks), **NOTHING))["results"]

    assert (unreadable["level"], unreadable["rank"]) == ("error", 75.0)
    assert (warned["level"], warned["rank"]) == ("warning", 25.0)

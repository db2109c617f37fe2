"""The JSON form of the report of a run, its texts, and its published schema."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_delta_schema.diagnostics.errors import Diagnostic, JsonFormError, Location
from pytest_delta_schema.diagnostics.faults import Witness
from pytest_delta_schema.diagnostics.redaction import without_hosts, without_known_hosts
from pytest_delta_schema.engine.outcomes import OutcomeStatement, TableChange
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.report.json_report import report_from_json, report_json, report_text
from pytest_delta_schema.report.redact import redact_report
from pytest_delta_schema.report.run_report import Consents
from pytest_delta_schema.state import state_json
from pytest_delta_schema.state.json_shapes import json_text
from support.json_schemas import report_schema, strict
from support.reports import BLOCKED, FILE, RUN, UNREADABLE, hostile_report, sample_report
from support.snapshots import TextSnapshot
from support.state_json import EXAMPLE

VALIDATOR = Draft202012Validator(strict(report_schema()))


def full_report():
    """Return a report in which every attribute has a value."""
    witness = Witness(result="confirmed", file="w.py", script="print(1)", before="1", after="2", reason="it fails")
    fault = Diagnostic(
        severity="warning", code="DC101", rule="R", table="t", path="p", message="m", remedy="r", samples="id = 1",
        roles=("readers",), witnesses=(witness,), location=Location(FILE, 1, 2, 3),
    )  # fmt: skip
    state = state_json(EXAMPLE)
    table = replace(
        BLOCKED, diagnostics=(fault,), notes=(fault,), background=(fault,), declared=state, observed=state,
        restore_version=7, restore_sql="RESTORE", failure="f", target="a" * 16, created="2026-01-31T12:00:00Z",
    )  # fmt: skip
    consents = Consents(used=("a",), unused=("b",), expired=("c",))
    return sample_report(table, UNREADABLE, unmanaged=(fault,), faults=(fault,), consents=consents)


@pytest.mark.parametrize("report", [sample_report(), full_report(), hostile_report(full_report())])
def test_a_report_is_read_back_without_loss(report):
    text = report_text(report)

    assert text.isascii()
    assert report_from_json(json.loads(text)) == report


def test_a_report_has_the_keys_and_values_of_its_schema():
    for report in (sample_report(), full_report()):
        assert list(VALIDATOR.iter_errors(report_json(report))) == []


def test_what_all_runs_share_stands_at_the_top():
    other = replace(RUN, mode="check", backend="", bindings=())
    forms = [report_json(sample_report(runs=runs)) for runs in ((RUN, RUN), (RUN, other))]

    assert [[form[key] for key in ("mode", "backend", "bindings", "commit")] for form in forms] == [
        ["drift", "memory", {"dev.silver": "ci.silver"}, RUN.commit],
        [None, None, None, RUN.commit],
    ]


NO_REPORTS: list[tuple[tuple[Any, ...], Any]] = [
    ((), []),
    *((("version",), value) for value in (None, 2, "1")),
    (("runs",), []),
    (("runs", 0), {"mode": "x", "seconds": True, "bindings": {"a": 1}}),
    (("tables", 0), "x" * 99),
    (("tables", 0, "location"), 3),
    (("tables", 0, "data_checks"), "ok"),
    (("consents", "used"), [1]),
]


def changed(path: tuple[Any, ...], value: Any) -> Any:
    """Return the form of a report with another value at a path; ``None`` removes it."""
    form: Any = report_json(sample_report(UNREADABLE))
    if not path:
        return value
    *parents, key = path
    parent = form
    for step in parents:
        parent = parent[step]
    parent[key] = value
    if value is None:
        del parent[key]
    return form


def test_what_is_no_report_is_refused_with_every_fault(snapshot):
    texts = []
    for path, value in NO_REPORTS:
        with pytest.raises(JsonFormError) as caught:
            report_from_json(changed(path, value), "old.json")
        texts.append(str(caught.value))

    assert "\n".join([*texts, ""]) == snapshot(extension_class=TextSnapshot)


def test_values_below_the_depth_are_on_one_line():
    texts = [
        ([{"a": 1, "b": [2, "\u00e9"]}], 0, '[{"a": 1, "b": [2, "\\u00e9"]}]\n'),
        ([{"a": 1, "b": [2]}, {}], 1, '[\n {"a": 1, "b": [2]},\n {}\n]\n'),
        ({"a": 1, "b": [{"c": 2}]}, 2, '{\n "a": 1,\n "b": [\n  {"c": 2}\n ]\n}\n'),
        ({"a\n": [], "b": {}, "c": ""}, 3, '{\n "a\\n": [],\n "b": {},\n "c": ""\n}\n'),
        ("x", 3, '"x"\n'),
    ]

    assert [(values, depth, json_text(values, depth)) for values, depth, _ in texts] == texts


CHECK = Diagnostic(
    rule="RowsViolateCheck",
    table="ci.silver.customers",
    message="check c cannot be added, because 1 row breaks it, of 2",
    samples="id = 7",
    remedy="ask https://u:p@lake.example:8080/x?token=1",
    location=Location(FILE, 1),
    concerns_run=True,
)
TABLE = replace(BLOCKED, diagnostics=(CHECK,), failure=f"first\n{CHECK}")


def _relative(location: Location) -> Location | None:
    return location._replace(file=f"sub/{location.file}") if location.line > 1 else None


class _Hosts:
    """Hides every host in messages, and one in values."""

    def message(self, text):
        return without_hosts(text, ["uc.example"])

    def value(self, text):
        return without_known_hosts(text, ["uc.example"])


REDACTION = _Hosts()


def _change(path, before, after):
    return TableChange(table=BLOCKED.stored_as, marker="~", path=path, before=before, after=after)


def _with_secrets():
    """Return a table whose properties hold secrets, which the model may name and the catalog show."""
    declared = {"team": "sales", "sort_key": "id", "src": "https://h/x?sig=SECRET", "api_token": "env:TOKEN"}
    address = "postgres://u:SECRET@h/db"
    observed = {"team": "buying", "api_token": "SECRET", "delta.appendOnly": "true", "fs.azure.account.key": "SECRET"}
    observed = {**declared, **observed, "note": "SECRET", "src2": address, "src": address}
    changes = (
        _change("properties.api_token", "'SECRET'", "'env:TOKEN'"),
        _change("properties.fs.azure.account.key", "'SECRET'", "(absent)"),
        _change("properties.src", f"'{address}'", "'https://h/x?sig=SECRET'"),
        _change("properties.team", "'buying'", "'sales'"),
        _change("properties.password", "(absent)", "'env:PASSWORD'"),
    )
    states = {"declared": {"properties": declared}, "observed": {"properties": observed, "comment": "x"}}
    return replace(BLOCKED, changes=changes, **states)


def _with_hosts():
    """Return a table whose texts name the server of the run and others."""

    def state(comment, path):
        columns = [{"name": "id", "type": "bigint", "comment": comment}]
        return {"comment": comment, "columns": columns, "source": {"path": path, "files": 2}, "checks": None}

    lake, note = "abfss://box@account.dfs.core.windows.net/a", "see https://wiki.example/x, not uc.example:80"
    return replace(
        BLOCKED,
        changes=(_change("format", f"parquet in {lake}", "x uc.example"), _change("comment", note, "x uc.example")),
        statements=(OutcomeStatement(sql=f"COMMENT '{note}'"),),
        restore_sql="RESTORE `uc.example`",
        declared=state(note, lake),
        observed=state("", "s3://bucket/a"),
    )


@pytest.mark.parametrize("with_samples", [False, True], ids=["without samples", "with samples"])
def test_what_is_published(with_samples, snapshot):
    """Files are relative, and the texts of other places, secrets, hosts and, unless asked for, rows are left out."""
    report = redact_report(
        sample_report(TABLE, _with_secrets(), _with_hosts(), faults=(CHECK,)),
        redaction=REDACTION,
        relative=_relative,
        with_samples=with_samples,
    )

    assert [form for form in FORMATS.values() if "SECRET" in str(form.write(report))] == []
    assert report_text(report) == snapshot(extension_class=TextSnapshot)
    assert not report.faults[0].concerns_run

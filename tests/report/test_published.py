"""What a report does not show."""

from __future__ import annotations

from dataclasses import replace

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.diagnostics.redaction import without_hosts, without_known_hosts
from pytest_delta_schema.engine.outcomes import OutcomeStatement, TableChange
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.report.redact import redact_report
from support.reports.run_reports import BLOCKED, FILE, sample_report

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


def _published(*, with_samples):
    return redact_report(
        sample_report(TABLE, faults=(CHECK,)), redaction=REDACTION, relative=_relative, with_samples=with_samples
    )


def test_hosts_samples_and_other_files_are_left_out():
    report = _published(with_samples=False)

    [table], [fault] = report.tables, report.faults
    hidden = replace(
        CHECK, samples="", remedy="ask https://***@<server>/x?token=***", location=None, concerns_run=False
    )
    assert (table.diagnostics, fault) == ((hidden,), hidden)
    assert table.failure == f"first\n{hidden}"
    assert table.location == Location(f"sub/{FILE}", 30, 1, 40)
    assert [change.location for change in table.changes] == [Location(f"sub/{FILE}", 30, 1, 40)]
    assert report.unmanaged[0].location == Location(f"sub/{FILE}", 10)


def test_samples_are_shown_on_request():
    [table] = _published(with_samples=True).tables

    assert table.diagnostics[0].samples == "id = 7"
    assert "such as id = 7; ask" in table.failure


def test_properties_of_the_catalog_do_not_show_their_secrets():
    declared = {"team": "sales", "sort_key": "id", "src": "https://h/x?sig=SECRET", "api_token": "env:TOKEN"}
    observed = {
        **declared,
        "team": "buying",
        "api_token": "SECRET",
        "delta.appendOnly": "true",
        "fs.azure.account.key": "SECRET",
        "note": "SECRET",
        "src2": "postgres://u:SECRET@h/db",
        "src": "postgres://u:SECRET@h/db",
    }
    changes = tuple(
        TableChange(table=BLOCKED.stored_as, marker="~", path=f"properties.{key}", before=before, after=after)
        for key, before, after in [
            ("api_token", "'SECRET'", "'env:TOKEN'"),
            ("fs.azure.account.key", "'SECRET'", "(absent)"),
            ("src", "'postgres://u:SECRET@h/db'", "'https://h/x?sig=SECRET'"),
            ("team", "'buying'", "'sales'"),
            ("password", "(absent)", "'env:PASSWORD'"),
        ]
    )
    table = replace(
        BLOCKED, declared={"properties": declared}, observed={"properties": observed, "comment": "x"}, changes=changes
    )

    report = redact_report(sample_report(table), redaction=REDACTION, relative=_relative, with_samples=True)

    [shown] = report.tables
    assert shown.declared == {
        "properties": {"team": "sales", "sort_key": "id", "src": "https://h/x?sig=***", "api_token": "env:TOKEN"}
    }
    assert shown.observed == {
        "comment": "x",
        "properties": {
            "team": "buying",
            "sort_key": "id",
            "src": "postgres://***@h/db",
            "api_token": "***",
            "delta.appendOnly": "true",
            "fs.azure.account.key": "***",
            "note": "***",
            "src2": "***",
        },
    }
    assert [(change.before, change.after) for change in shown.changes] == [
        ("'***'", "'env:TOKEN'"),
        ("'***'", "(absent)"),
        ("'postgres://***@h/db'", "'https://h/x?sig=***'"),
        ("'buying'", "'sales'"),
        ("(absent)", "'env:PASSWORD'"),
    ]
    for form in FORMATS.values():
        assert "SECRET" not in str(form.write(report))


def test_values_keep_what_users_have_written_but_the_server_of_the_run():
    def state(comment, path):
        column = {"name": "id", "comment": comment}
        return {"comment": comment, "columns": [column], "source": {"path": path, "files": 2}, "checks": None}

    lake, note = "abfss://box@account.dfs.core.windows.net/a", "see https://wiki.example/x, not uc.example:80"
    format_change, comment_change = (
        TableChange(table="ci.silver.customers", marker="~", path=path, before=before, after="x uc.example")
        for path, before in [("format", f"parquet in {lake}"), ("comment", note)]
    )
    table = replace(
        BLOCKED,
        changes=(format_change, comment_change),
        statements=(OutcomeStatement(sql=f"COMMENT '{note}'"),),
        restore_sql="RESTORE `uc.example`",
        declared=state(note, lake),
        observed=state("", "s3://bucket/a"),
    )

    [shown] = redact_report(sample_report(table), redaction=REDACTION, relative=_relative, with_samples=True).tables

    hidden = "see https://wiki.example/x, not <server>"
    assert [(change.before, change.after) for change in shown.changes] == [
        ("parquet in abfss://box@<server>/a", "x <server>"),
        (hidden, "x <server>"),
    ]
    assert [statement.sql for statement in shown.statements] == [f"COMMENT '{hidden}'"]
    assert shown.restore_sql == "RESTORE `<server>`"
    assert shown.declared == state(hidden, "abfss://box@<server>/a")
    assert shown.observed == state("", "s3://bucket/a")

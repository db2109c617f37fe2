"""The setting ``report``: which reports are written, and where."""

from __future__ import annotations

import pytest

from pytest_delta_schema.configuration.report_targets import ReportFile, faults_of_reports, parse_target, report_files

EXTENSIONS = {"json": "json", "html": "html", "github": ""}


def _targets(*texts, folder):
    return [parse_target(text, list(EXTENSIONS), folder) for text in texts]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["json"], [("json", "delta-report.json")]),
        (["json:a/b.json", "html: c "], [("json", "a/b.json"), ("html", "c")]),
        (["json:a:b.json", "json", "json"], [("json", "a:b.json"), ("json", "delta-report.json")]),
        (["github"], [("github", "")]),
        (["json", "html", "json:a", "json:off"], [("html", "delta-report.html")]),
        (["json:off", "json:a"], [("json", "a")]),
    ],
)
def test_targets(tmp_path, texts, expected):
    files = report_files(_targets(*texts, folder=tmp_path), EXTENSIONS)

    assert files == tuple(ReportFile(type_, file and str(tmp_path / file)) for type_, file in expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "jsno:x",
            "there is not a report of type 'jsno'; did you mean json? The types are json, html, github",
        ),
        ("c:\\x.json", "there is not a report of type 'c'; the types are json, html, github"),
        ("", "there is not a report of type ''; the types are json, html, github"),
        ("json:", "'json:' names no file; write json, json:FILE or json:off"),
        ("json:a\0b", "'a\\x00b' is not a valid file path (*; use a different one"),
    ],
)
def test_what_names_no_report(tmp_path, text, message):
    with pytest.raises(ValueError, match=r".") as caught:
        parse_target(text, list(EXTENSIONS), tmp_path)

    head, _, tail = message.partition("*")
    assert str(caught.value).startswith(head)
    assert str(caught.value).endswith(tail)


def test_all_files_that_cannot_be_written_are_named(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    texts = ["json:folder", "json:file/x.json", "json:new/a", "html:new/a", "github:b", "html:file"]

    faults = list(faults_of_reports(report_files(_targets(*texts, folder=tmp_path), EXTENSIONS), EXTENSIONS))

    assert faults == [
        f"report json:{tmp_path}/folder: it is a folder; write a file, such as {tmp_path}/folder/delta-report.json",
        f"report json:{tmp_path}/file/x.json: {tmp_path}/file is a file, not a folder; write the path of another file",
        f"reports json and html: both would be written to {tmp_path}/new/a; write html:FILE with another file",
        f"report github:{tmp_path}/b: it is written to the terminal; write github alone",
    ]

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

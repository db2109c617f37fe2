"""``delta-schema``: what all commands have in common, explanations of codes, new projects, and merging reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from pytest_delta_schema.commands.cli import main
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.report.json_report import report_from_json, report_json, report_text
from support.reports import BLOCKED, DRIFTED, IN_SYNC, sample_report
from support.runs import ci_commands


def test_a_reader_that_stops_early_is_no_traceback():
    reading, writing = os.pipe()
    os.close(reading)

    with os.fdopen(writing, "wb") as pipe:
        command = [sys.executable, "-m", "pytest_delta_schema", "schema", "report"]
        answer = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)

    assert (answer.returncode, answer.stderr) == (1, "")


def test_commands_are_ready_without_pyspark_and_pytest():
    text = "import sys; from pytest_delta_schema.commands.cli import main; print({'pyspark', 'pytest', 'syrupy'} & {*sys.modules})"

    answer = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)

    assert answer.stdout == "set()\n"


EXPLAINED = """\
DS206 DropWithoutConsent: a rule for plans

A column is dropped without consent.

Its data would be lost.

Remedy: Declare the column, or consent to the drop by name (--delta-allow).

Example:

    stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("legacy", "string")])
    model = Table("dev", "silver", "orders", [Column("id", "bigint")])
"""


@pytest.mark.parametrize("codes", [["DS206"], ["ds206,DS206", "ds206"]], ids=["code", "case and repetition"])
def test_a_code_is_explained(capsys, codes):
    assert main(["explain", *codes]) == 0

    assert capsys.readouterr() == (EXPLAINED, "")


@pytest.mark.parametrize(
    ("codes", "error"),
    [
        ("DS26", "error: there is no code DS26; did you mean DS216 or DS206 or DS126?\n"),
        ("x\x1b[2J", "error: there is no code X\\u001b[2J; codes are DS, DD or DC and three digits, such as DS206\n"),
        (",", "error: no code is named; write one, such as DS206 or DD102, or several with commas between them\n"),
    ],
)
def test_an_unknown_code_is_refused_with_the_nearest_ones(capsys, codes, error):
    assert main(["explain", codes]) == 1

    assert capsys.readouterr() == ("", error)


def test_a_project_is_started_in_the_folder_of_the_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "pytest_delta_schema", "init"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("delta schema: wrote shop/models.py, an example with one table\n")
    assert (tmp_path / "pyproject.toml").read_text().endswith('[tool.pytest_delta_schema]\nmodels = ["shop.models"]\n')


HINT = "name a file that a run has written with --delta-report json"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with the reports of two runs."""
    monkeypatch.chdir(tmp_path)
    early, late = "2026-01-31T12:00:00Z", "2026-01-31T13:00:00Z"
    drifted = replace(DRIFTED, target="c" * 16, created=early)
    aligned = replace(drifted, created=late, status=Status.IN_SYNC)
    (tmp_path / "a.json").write_text(report_text(sample_report(drifted, BLOCKED)))
    (tmp_path / "b.json").write_text(report_text(sample_report(aligned, IN_SYNC)))
    return tmp_path


def names(text):
    return [(table.name, table.status.value) for table in report_from_json(json.loads(text)).tables]


MERGED = [
    ("dev.silver.customers", "blocked"),
    ("dev.silver.orders", "in sync"),
    ("dev.silver.regions", "in sync"),
]


def test_the_report_is_printed(capsys):
    assert main(["merge", "a.json", "b.json"]) == 0

    answer = capsys.readouterr()
    assert names(answer.out) == MERGED
    assert (len(json.loads(answer.out)["runs"]), answer.err) == (2, "")


HOSTILE = "a ##[add-mask]b\n::error::c ##vso[task.complete]\u202e"


def test_what_is_printed_is_no_command_and_stays_equal(folder, capsys):
    report = sample_report(replace(DRIFTED, name=f"dev.silver.{HOSTILE}"))
    (folder / "a.json").write_text(report_text(report))

    assert main(["merge", "a.json"]) == 0

    output = capsys.readouterr().out
    assert names(output) == [(f"dev.silver.{HOSTILE}", "drifted")]
    assert output.isascii()
    assert ci_commands(output) == []


def test_other_reports_are_written_in_the_formats_of_runs(folder, capsys):
    assert main(["merge", "b.json", "a.json", "--report", "sarif:out/all.sarif", "--report", "github"]) == 0

    assert json.loads((folder / "out" / "all.sarif").read_text())["version"] == "2.1.0"
    written, *annotations = capsys.readouterr().out.splitlines()
    assert written == "report written to out/all.sarif"
    assert annotations
    assert all(line.startswith("::") for line in annotations)


def test_every_format_is_written_without_pyspark(folder):
    blocked = "import sys; sys.modules.update(dict.fromkeys(['pyspark', 'delta', 'py4j']))"
    reports = [argument for type_ in FORMATS for argument in ("--report", type_)]
    command = f"from pytest_delta_schema.commands.cli import main; sys.exit(main(['merge', 'a.json', *{reports}]))"

    answer = subprocess.run(
        [sys.executable, "-c", f"{blocked}; {command}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (answer.returncode, answer.stderr) == (0, "")
    written = sorted(path.name for path in folder.glob("delta-report.*"))
    assert written == [
        "delta-report.gitlab.json",
        "delta-report.html",
        "delta-report.json",
        "delta-report.md",
        "delta-report.sarif",
    ]


def test_every_file_that_is_no_report_is_named_and_nothing_is_written(folder, capsys):
    report = report_json(sample_report(DRIFTED))
    files = {
        "cut.json": '{"version": 1,',
        "nan.json": json.dumps({**report, "summary": float("nan")}),
        "list.json": "[]",
        "package.json": '{"name": "shop", "version": "1.0.0"}',
        "newer.json": json.dumps({**report, "version": 2}),
        "wrong.json": json.dumps({**report, "runs": [], "tables": 1}),
        "one.json": json.dumps({**report, "faults": {}}),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "latin.json").write_bytes(b'{"a": "\xe9"}')
    (folder / "folder.json").mkdir()

    code = main(["merge", "a.json", *files, "latin.json", "folder.json", "none.json", "-o", "merged.json"])

    answer = capsys.readouterr()
    assert (code, answer.out) == (1, "")
    assert answer.err.splitlines() == [
        f"error: cut.json: is not valid JSON (Expecting property name enclosed in double quotes: line 1 column 15 (char 14)); {HINT}",
        f"error: nan.json: is not valid JSON (NaN is not a number); {HINT}",
        f"error: list.json: is not a report of pytest-delta-schema; {HINT}",
        f"error: package.json: is not a report of pytest-delta-schema; {HINT}",
        "error: newer.json: is of version 2, and this release reads version 1; upgrade pytest-delta-schema",
        "error: wrong.json: runs is []; write an array of at least 1 (and 1 more)",
        "error: one.json: faults is {}; write an array",
        f"error: latin.json: is not valid JSON ('utf-8' codec can't decode byte 0xe9 in position 7: invalid continuation byte); {HINT}",
        f"error: folder.json: cannot be read: Is a directory; {HINT}",
        f"error: none.json: cannot be read: No such file or directory; {HINT}",
    ]
    assert not (folder / "merged.json").exists()


def test_every_report_that_cannot_be_written_is_named_and_nothing_is_written(folder, capsys):
    wrong = ["htm", "json:", "sarif:.", "github:notes", "gitlab:out.json"]

    code = main(
        ["merge", "a.json", "none.json", "-o", "out.json", *(part for text in wrong for part in ("--report", text))],
    )

    answer = capsys.readouterr()
    assert (code, answer.out) == (1, "")
    lines = answer.err.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("error: there is not a report of type 'htm'; ")
    assert lines[1] == "error: 'json:' names no file; write json, json:FILE or json:off"
    assert lines[2].startswith(f"error: report sarif:{folder}: it is a folder; write a file, such as ")
    assert lines[3].startswith("error: report github:")
    assert lines[4].startswith(f"error: reports json and gitlab: both would be written to {folder / 'out.json'}; ")
    assert lines[5].startswith("error: none.json: cannot be read: ")
    assert {path.name for path in folder.iterdir()} == {"a.json", "b.json"}


def test_a_file_that_turns_out_not_to_be_writable_is_an_error(folder, capsys, monkeypatch):
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left", "x")))

    assert main(["merge", "a.json", "-o", "out.json"]) == 1

    assert capsys.readouterr().err == (
        "error: the json report cannot be written: No space left (x); make the path writable, or write another file\n"
    )
    assert not (folder / "out.json").exists()


@pytest.mark.parametrize("arguments", [[], ["a.json", "--delta-report", "json"]])
def test_a_wrong_command_line_shows_how_it_is_used(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(["merge", *arguments])

    assert caught.value.code == 2
    assert "usage: delta-schema" in capsys.readouterr().err

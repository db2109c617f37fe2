"""``pytest --delta-explain``: what it prints, also where nothing else would run, and what it refuses."""

from __future__ import annotations

import pytest

EXPLAINED = [
    "DS206 DropWithoutConsent: a rule for plans",
    "",
    "A column is dropped without consent.",
    "",
    "Its data would be lost.",
    "",
    "Remedy: Declare the column, or consent to the drop by name (--delta-allow).",
    "",
    "Example:",
    "",
    '    stored = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("legacy", "string")])',
    '    model = Table("dev", "silver", "orders", [Column("id", "bigint")])',
]


@pytest.mark.parametrize(
    "args",
    [
        ["--delta-explain=DS206"],
        ["--delta-explain", "ds206,DS206", "--delta-explain=ds206"],
        ["--delta-explain=DS206", "--delta-drift", "no_such_folder"],
        ["--delta-explain=DS206", "-n2"],
    ],
    ids=["code", "case and repetition", "arguments of a run", "xdist"],
)
def test_a_code_is_explained_and_nothing_runs(project, args):
    (project.path / "pyproject.toml").write_text("[tool.pytest_delta_schema]\nmodles = ['shop']\nmax_risk = 7\n")
    project.models("raise RuntimeError\n")
    project.ini("delta_models = models")

    result = project.run(*args)

    assert result.ret == pytest.ExitCode.OK
    assert result.outlines[-len(EXPLAINED) :] == EXPLAINED
    assert "test session starts" not in result.stdout.str()


def test_several_codes_are_explained_one_after_the_other(project):
    result = project.run("--delta-explain=DD102,DS206")

    result.stdout.fnmatch_lines(["DD102 ColumnMissing: a difference between a model and the catalog", EXPLAINED[0]])


@pytest.mark.parametrize(
    ("codes", "lines"),
    [
        ("DS26", ["ERROR: there is no code DS26; did you mean DS216 or DS206 or DS126?"]),
        (
            "DD102,x\x1b[2J",
            ["ERROR: there is no code X\\u001b[[]2J; codes are DS, DD or DC and three digits, such as DS206"],
        ),
        ("", ["ERROR: no code is named; write one, such as DS206 or DD102, or several with commas between them"]),
    ],
)
def test_an_unknown_code_is_refused_with_the_nearest_ones(project, codes, lines):
    result = project.run(f"--delta-explain={codes}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(lines)
    assert result.outlines == []

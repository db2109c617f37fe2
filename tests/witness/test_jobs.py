"""The text of witnesses: short, complete, and safe whatever names a table has."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from pytest_delta_schema import Check, Column, PrimaryKey
from pytest_delta_schema.compatibility import judge_change
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT
from pytest_delta_schema.witness.jobs import not_played
from pytest_delta_schema.witness.script import FIRST_LINE, NoScript, Script, file_name, witness_of
from support.compatibility import all_played
from support.models import table

ID, NOTE = Column("id", LONG), Column("note", TEXT)


def script(old, new, role="readers"):
    states = desired_state(old), desired_state(new)
    (finding,) = judge_change(*states, roles=[role])
    made = witness_of(finding, *states)
    assert isinstance(made, Script)
    return made


def test_a_script_is_complete_and_has_only_what_a_finding_is_about(reviewed):
    others = [Column(f"c{number}", INT, comment="Long") for number in range(50)]
    keyed = {"primary_key": PrimaryKey(["c1"], name="pk"), "checks": [Check("c", "c2 > 0")], "comment": "Wide"}
    old = table(ID, *[replace(column, is_nullable=column.name != "c1") for column in others], NOTE, **keyed)
    new = replace(old, columns=[column for column in old.columns if column.name != "note"])

    made = script(table(ID, NOTE), table(ID))

    assert made.file == "dev.silver.orders/DC101-note-readers.py"
    assert made.text == script(old, new).text == reviewed


def lacks(played):
    """Return what is wrong with the script of a finding, or with the reason for which it has none."""
    made, finding = played.script, played.finding
    if isinstance(made, NoScript):
        return [] if made.reason and (finding.verdict == "safe" or made.reason == not_played(finding)) else ["reason"]
    lines = made.text.splitlines()
    tree = ast.parse(made.text)
    # A statement of SQL may stand on several lines.
    statements = {node.lineno for node in ast.walk(tree) if isinstance(node, (ast.stmt, ast.excepthandler))}
    requirements = {
        "first line": lines[0].startswith(FIRST_LINE),
        "comments": len([line for line in lines if line.startswith("#")]) <= 5,
        "statements": 5 <= len(statements) <= 15,
        "width": not any("delta.`{path}`" in line and len(line) > 130 for line in lines),
        "one path": "{path}-" not in made.text,
        "two parts": [bool(part) for part in made.text.split("\n\n")] == [True, True],
    }
    return [name for name, is_met in requirements.items() if not is_met]


def test_every_finding_has_a_script_or_the_source_of_its_verdict():
    played = all_played()

    assert len(played) > 1500
    assert [(one.name, faults) for one in played if (faults := lacks(one))] == []


HOSTILE = [
    "a'b",
    'a"b',
    "a`b",
    "{path}",
    "{__import__('os')}",
    "a\\",
    "../../x",
    "con",
    "\u202eabc",
    "a\u2028b",
    "naïve 表",
]
HOSTILE += ["x" * 200, '"""']


@pytest.mark.parametrize("role", ["readers", "streams", "writers"])
def test_names_stay_names(role):
    for name in HOSTILE:
        made = script(table(ID, Column(name, TEXT)), table(ID), role)

        tree = ast.parse(made.text)
        called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        variables = {ast.unparse(node.value) for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)}
        folder, file = made.file.split("/")
        assert not any("__import__" in call for call in called), name
        assert variables == {"path"}, name
        assert (folder, file.isascii(), len(file) < 120, "\\" in file) == ("dev.silver.orders", True, True, False), name


def test_other_names_of_files_have_a_number():
    texts = ["note", "s.x", "..", "a/b", "x" * 61]

    assert [*map(file_name, texts)] == ["note", "s.x", "-5ec1f7e7", "a_b-c14cddc0", f"{'x' * 60}-c508e75f"]

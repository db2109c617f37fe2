"""``delta-schema conformance``: the scenarios in a user's schema, and a report without names."""

from __future__ import annotations

import re
import subprocess
import sys

from pytest_delta_schema.testing.conformance import Tables, redacted
from pytest_delta_schema.testing.workspace_questions import QUESTIONS

TABLES = Tables("prod_eu", "scratch", "delta_conformance_1234abcd_")
OWN = re.compile(r"corp\.scratch\.delta_conformance_[0-9a-f]{8}_(?:lines|orders|parents)")
CONFTEST = """
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, QualifiedName, Settings, Table
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.sql import StatementKind

THEIRS = Table("corp", "scratch", "orders", [Column("id", "bigint")], comment="Of others")


class Broken(MemoryCatalog):
    def server_text(self, catalog):
        return f"Delta API, {len(catalog)} letters"

    def snapshot(self, models):
        state = super().snapshot(models)
        tables = {
            name: replace(table, table_properties={**table.table_properties, "own": "1"}) if table.unique else table
            for name, table in state.tables.items()
        }
        return replace(state, tables=tables)

    def run(self, statement):
        if statement.kind is StatementKind.ADD_COLUMNS:
            raise StatementError(
                f"401 for ann@example.com at https://adb-1.azuredatabricks.net/x: {statement.table} in /home/ann/store/x"
                " is table 7c2a7c4e-0d6b-4a3a-9d4e-8f4f7d1c2b3a"
            )
        super().run(statement)


@pytest.fixture(scope="session")
def delta_catalog():
    catalog = Broken()
    Orchestrator.over(catalog, settings=Settings()).sync_tables([THEIRS])
    yield catalog
    Path("left.txt").write_text(" ".join(map(str, catalog.table_names("corp", "scratch"))))
"""


def conformance(folder, *arguments):
    command = [sys.executable, "-m", "pytest_delta_schema", "conformance", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def rows(folder):
    """Return the rows of the table in the report."""
    lines = (folder / "conformance.md").read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: row[1:] for row in cells[2:]}


LATE_SESSION = """
import pytest
from pytest_delta_schema import MemoryCatalog

class Late(MemoryCatalog):
    def run(self, statement):
        self.session()
        super().run(statement)

    def drop_table(self, table):
        assert "open" in self.session()
        super().drop_table(table)

    def drop_schema(self, catalog, schema):
        assert "open" in self.session()
        super().drop_schema(catalog, schema)


@pytest.fixture(scope="session")
def delta_spark():
    state = ["open"]
    yield state
    state.clear()


@pytest.fixture(scope="session")
def delta_catalog(request):
    catalog = Late()
    catalog.session = lambda: request.getfixturevalue("delta_spark")
    return catalog
"""


def test_every_promise_of_the_memory_backend_holds(tmp_path):
    """What the run has made is dropped before a session ends that started late."""
    (tmp_path / "conftest.py").write_text(LATE_SESSION)

    done = conformance(tmp_path, "--backend=memory", "--schema=corp.scratch")

    assert done.returncode == 0, done.stdout
    assert re.search(r"^1[0-9]{2} held, 0 did not hold, 0 not possible$", done.stdout, re.MULTILINE)
    assert {row[0] for row in rows(tmp_path).values()} == {"held", "not tried"}
    assert "  created and dropped: corp.scratch\n" in done.stdout
    assert "NOT dropped" not in done.stdout
    # No scenario creates the schema.
    not_tried = [kind for kind, row in rows(tmp_path).items() if row[0] == "not tried"]
    assert not_tried == ["create schema", "convert table", "register table", "restore table"]


def test_a_broken_promise_is_reported_without_names_and_the_tables_of_others_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --unknown-option\ndelta_owned_properties = true\n")

    done = conformance(tmp_path, "--backend=memory", "--schema=corp.scratch", "-k", "basics or not_null or unique")

    assert done.returncode == 1
    own = sorted(set(OWN.findall(done.stdout)))
    assert [line for line in done.stdout.splitlines() if line.startswith("  created")] == [
        f"  created and dropped: {name}" for name in own
    ]
    assert 1 <= len(own) <= 3
    assert (tmp_path / "left.txt").read_text() == "corp.scratch.orders"
    assert rows(tmp_path)["add columns"][0] == "did not hold"
    assert rows(tmp_path)["drop not null"][0] == "held"
    report = (tmp_path / "conformance.md").read_text("utf-8")
    assert "401 for <principal> at <location> <catalog>.<schema>.orders in <path> is table <id>" in report
    assert re.search(r"corp|scratch|example\.com|azuredatabricks|/home", report) is None
    assert re.search(r"^Python 3.*, server: Delta API, 4 letters$", report, re.MULTILINE)
    part = r"^\*\*Only a part:\*\* \d\d of 1\d\d scenarios were tried, chosen by `-k basics or not_null or unique`\.$"
    assert re.search(part, report, re.MULTILINE)
    differs = "AssertionError: the table at the end: table_properties: own: '1' instead of '(absent)'"
    assert re.search(rf"^\* `unique/\w+`: {re.escape(differs)}$", report, re.MULTILINE)


def test_what_a_catalog_answers_is_redacted():
    texts = [
        ("`prod_eu`.`scratch`.`delta_conformance_1234abcd_orders`", "`<catalog>`.`<schema>`.`orders`"),
        ("PROD_EU.Scratch is gone", "<catalog>.<schema> is gone"),
        ("s3://bucket/a/b, dbfs:/user/ann", "<location>, <location>"),
        ("10.0.0.7:8080 refused ann.b@corp.example", "<server> refused <principal>"),
        ("class org.apache.spark.SparkException", "class org.apache.spark.SparkException"),
        ("a\n  b", "a b"),
    ]

    assert [(text, redacted(text, TABLES)) for text, _ in texts] == texts


WORKSPACE = """
import re

import pytest
from pytest_delta_schema import DatabricksCatalog, MemoryCatalog, Orchestrator, Settings
from pytest_delta_schema.exchange import from_ddl
from pytest_delta_schema.testing.databricks import DatabricksDouble, refusal

REFUSED = {
    r"^CREATE .*CHECK": "UNSUPPORTED_CONSTRAINT",
    r"^CREATE .*delta.constraints": "UNSUPPORTED_CONSTRAINT",
    r"^CREATE .*PARTITIONED.*CLUSTER": "SPECIFY_CLUSTER_BY_WITH_PARTITIONED_BY_IS_NOT_ALLOWED",
    r"^CREATE .*a, b, c, d, e": "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
    r"^ALTER .*ADD COLUMNS .*GENERATED": "PARSE_SYNTAX_ERROR",
    r"^ALTER .*ADD COLUMNS .*TIMESTAMP_NTZ": "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
    r"^ALTER .*COLUMN id TYPE": "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
    r"missing": "NO_SUCH_CATALOG_EXCEPTION",
}


class Workspace(DatabricksDouble):
    script = ""

    def rows(self, sql):
        for pattern, condition in REFUSED.items():
            if re.search(pattern, sql):
                raise refusal(condition, "no")
        if sql.startswith(("DESCRIBE", "SHOW", "SELECT")):
            return super().rows(sql)
        if sql.startswith("DROP"):
            self.script = ""
            self.auto.clear()
            self.backend.drop_schema("corp", "scratch")
            self.backend.create_schema("corp", "scratch")
        elif not re.search("DROP NOT NULL|TYPE BIGINT", sql):
            self.script += sql.replace("'It''s'", "'Its'") + ";"
            for model in from_ddl(self.script):
                Orchestrator.over(self.backend, settings=Settings()).sync_tables([model])
                self.auto = {str(model.name)} if sql.endswith("AUTO") else set()
        return []


@pytest.fixture(scope="session")
def delta_catalog():
    backend = MemoryCatalog()
    backend.create_schema("corp", "scratch")
    return DatabricksCatalog(Workspace(backend, [("corp", "scratch")]), read_threads=1)
"""


def test_each_fact_about_a_workspace_is_a_question_of_its_own(tmp_path):
    (tmp_path / "conftest.py").write_text(f"{WORKSPACE}\nREFUSED.pop('missing')\n")

    done = conformance(tmp_path, "--backend=databricks", "--schema=corp.scratch", "-k", "test_fact")

    report = (tmp_path / "conformance.md").read_text("utf-8")
    shown = dict(line.strip("|").split(" | ", 1) for line in report.partition("## Facts")[2].splitlines()[4:])
    answers = {fact.strip(): answer.strip() for fact, answer in shown.items()}
    assert answers.keys() == {question.fact for question in QUESTIONS}
    assert [fact for fact, answer in answers.items() if answer != "as expected"] == ["a missing catalog is an error"]
    assert done.returncode == 1
    assert f"{len(QUESTIONS) - 1} facts as expected, 1 otherwise" in done.stdout
    assert "corp" not in report

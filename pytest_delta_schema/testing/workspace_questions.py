"""Ask a Databricks workspace what this package believes of it; each question is a test of ``conformance``.

The double of a workspace, ``testing/databricks.py``, answers as is expected here: where a workspace answers otherwise,
both are corrected together.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.sql.quoting import dotted, literal
from pytest_delta_schema.testing.conformance import Asked, redacted

# Fixtures of the run.
from pytest_delta_schema.testing.conformance_tests import conformance, dropped, own

if TYPE_CHECKING:
    from pytest_delta_schema.testing.conformance import ConformanceRun, Tables

__all__ = ["QUESTIONS", "Question", "answer_to", "conformance", "dropped", "own", "test_fact"]


class Question(NamedTuple):
    """A statement whose answer shows whether a fact holds.

    Args:
        fact: The fact.
        asked: The statement; ``{table}`` is a table that does not exist before, and is dropped after it.
        expects: A pattern that the answer has: ``taken``, ``refused: ...``, or its rows as JSON.
        setup: Statements that run before it.
        told_by: How many others have told that their workspace answers so.
    """

    fact: str
    asked: str
    expects: str
    setup: tuple[str, ...] = ()
    told_by: Literal["two", "one", "nobody"] = "one"


_WIDENING = "'delta.enableTypeWidening' = 'true'"
_COLUMN_LIST = "id INT, `select` STRING DEFAULT 'x', s STRUCT<x: INT NOT NULL COMMENT 'c'>, v VARCHAR(5)"
_DEFAULTS = f"TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported', {_WIDENING})"
_CREATE = (f"CREATE TABLE {{table}} ({_COLUMN_LIST}) USING DELTA {_DEFAULTS}",)
_GENERATED_LIST = "at TIMESTAMP, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), m MAP<INT, STRING>"
_GENERATED = (f"CREATE TABLE {{table}} ({_GENERATED_LIST}) USING DELTA TBLPROPERTIES ({_WIDENING})",)
_CHECKED = (*_CREATE, "ALTER TABLE {table} ADD CONSTRAINT positive CHECK (id > 0)")
_AUTO = (*_CREATE, "ALTER TABLE {table} CLUSTER BY AUTO")
_JSON, _SHOWN = "DESCRIBE TABLE EXTENDED {table} AS JSON", "SHOW CREATE TABLE {table}"
_DETAIL = "DESCRIBE DETAIL {table}"
_TAKEN = r"^taken$"


def _listed(column: str, where: str) -> str:
    return f"SELECT {column} FROM {{catalog}}.information_schema.{where} AND table_name = {{name}}"


_COLUMNS = "columns WHERE table_schema = {schema} AND column_name = "

QUESTIONS = (
    Question(
        "information_schema has no defaults",
        _listed("column_default", f"{_COLUMNS}'select'"),
        "null",
        _CREATE,
        told_by="two",
    ),
    Question(
        "information_schema has no NOT NULL and no comments inside structs",
        _listed("full_data_type", f"{_COLUMNS}'s'"),
        "(?i)struct<x: ?int>",
        _CREATE,
        told_by="two",
    ),
    Question(
        "information_schema has the lengths of varchar",
        _listed("full_data_type", f"{_COLUMNS}'v'"),
        r"(?i)varchar\(5\)",
        _CREATE,
        told_by="nobody",
    ),
    Question("JSON has defaults", _JSON, r'"select".*?"default": ?"\'x\'"', _CREATE),
    Question(
        "JSON has NOT NULL and comments inside structs",
        _JSON,
        r'"x", ?"type": ?\{"name": ?"int"\}, ?"nullable": ?false, ?"comment": ?"c"',
        _CREATE,
    ),
    Question(
        "JSON has char and varchar as strings", _JSON, r'"v", ?"type": ?\{"name": ?"string"', _CREATE, told_by="nobody"
    ),
    Question("JSON has the versions of the protocol", _JSON, r'"delta.minReaderVersion": ?"\d', _CREATE),
    Question("JSON has no generation", _JSON, r'^(?!.*(?i:"generat))', _GENERATED, told_by="nobody"),
    Question("JSON has AUTO among the properties", _JSON, '"clusterByAuto": ?"true"', _AUTO),
    Question("SHOW CREATE TABLE writes reserved words without back-quotes", _SHOWN, r"\bselect STRING", _CREATE),
    Question("SHOW CREATE TABLE writes the collation of strings", _SHOWN, "select STRING COLLATE UTF8_BINARY", _CREATE),
    Question("SHOW CREATE TABLE has NOT NULL inside structs", _SHOWN, "x: INT NOT NULL COMMENT 'c'", _CREATE),
    Question(
        "SHOW CREATE TABLE has generations with blanks in the parentheses",
        _SHOWN,
        r"GENERATED ALWAYS AS \( CAST\(at AS DATE\) \)",
        _GENERATED,
    ),
    Question("DESCRIBE DETAIL has AUTO at top level", _DETAIL, '"clusterByAuto": ?"?true', _AUTO),
    Question("checks are properties", _DETAIL, "delta.constraints.positive", _CHECKED),
    Question(
        "checks are in no relation of information_schema",
        _listed("constraint_name", "table_constraints WHERE table_schema = {schema}"),
        r"^taken$|^\[\]$",
        _CHECKED,
    ),
    Question(
        "a missing catalog is an error",
        "SELECT table_name FROM `{missing}`.information_schema.tables",
        "^refused: ",
    ),
    Question(
        "a CHECK inside CREATE TABLE is refused",
        "CREATE TABLE {table} (id INT, CONSTRAINT positive CHECK (id > 0)) USING DELTA",
        "^refused: ",
    ),
    Question(
        "a check among the properties of CREATE TABLE is refused",
        "CREATE TABLE {table} (id INT) USING DELTA TBLPROPERTIES ('delta.constraints.positive' = 'id > 0')",
        "^refused: ",
        told_by="nobody",
    ),
    Question(
        "a generated column cannot be added",
        "ALTER TABLE {table} ADD COLUMNS (twice INT GENERATED ALWAYS AS (id * 2))",
        "^refused: .*PARSE_SYNTAX_ERROR",
        _CREATE,
    ),
    Question(
        "a column that a check uses cannot change its type",
        "ALTER TABLE {table} ALTER COLUMN id TYPE BIGINT",
        "^refused: ",
        _CHECKED,
    ),
    Question(
        "timestamp_ntz needs its feature before it is added",
        "ALTER TABLE {table} ADD COLUMNS (at TIMESTAMP_NTZ)",
        "^refused: .*DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
        _CREATE,
    ),
    Question("CREATE TABLE enables timestamp_ntz", "CREATE TABLE {table} (at TIMESTAMP_NTZ) USING DELTA", _TAKEN),
    Question(
        "NOT NULL inside a struct is dropped", "ALTER TABLE {table} ALTER COLUMN s.x DROP NOT NULL", _TAKEN, _CREATE
    ),
    Question("the key of a map is widened", "ALTER TABLE {table} ALTER COLUMN m.key TYPE BIGINT", _TAKEN, _GENERATED),
    Question(
        "clustering and partitioning exclude each other",
        "CREATE TABLE {table} (a INT, b INT) USING DELTA PARTITIONED BY (a) CLUSTER BY (b)",
        "^refused: ",
    ),
    Question(
        "a table has at most four clustering keys",
        "CREATE TABLE {table} (a INT, b INT, c INT, d INT, e INT) USING DELTA CLUSTER BY (a, b, c, d, e)",
        "^refused: ",
    ),
    Question(
        "CLUSTER BY with columns ends AUTO",
        _DETAIL,
        '"clusterByAuto": ?("?false|null)',
        (*_AUTO, "ALTER TABLE {table} CLUSTER BY (id)"),
    ),
    Question(
        "two single quotes are two literals",
        _DETAIL,
        '"description": ?"Its"',
        (*_CREATE, "COMMENT ON TABLE {table} IS 'It''s'"),
    ),
    Question(
        "a quote is escaped with a backslash",
        _DETAIL,
        '"description": ?"It\'s"',
        (*_CREATE, r"COMMENT ON TABLE {table} IS 'It\'s'"),
    ),
)


def answer_to(question: Question, run: Any, tables: Tables) -> str:
    """Return the answer to a question: ``taken``, ``refused: ...``, or its rows.

    Args:
        question: The question.
        run: Runs a statement, and returns rows by name.
        tables: The tables of the run, of which one is used.
    """
    table = tables.names[0]
    names = {
        "table": dotted(table),
        "catalog": identifier(table.catalog),
        "schema": literal(table.schema),
        "name": literal(table.table),
        "missing": f"{tables.prefix}missing",
    }

    def ask(statement: str) -> Any:
        return run(re.sub(r"\{(\w+)\}", lambda match: names[match[1]], statement))

    for statement in question.setup:
        ask(statement)
    try:
        rows = [dict(row) for row in ask(question.asked)]
    except StatementError as error:
        return f"refused: {error.condition}: {first_line(error)}"
    if not rows:
        return "taken"
    values = [value for row in rows for value in row.values()]
    # JSON and statements are one text.
    return values[0] if len(values) == 1 and isinstance(values[0], str) else json.dumps(rows, default=str)


@pytest.mark.usefixtures("dropped")
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.fact)
def test_fact(question: Question, own: Any, conformance: ConformanceRun) -> None:
    """The workspace answers as is expected."""
    answer = answer_to(question, own._run, conformance.tables)
    is_expected = re.search(question.expects, answer, re.DOTALL) is not None
    conformance.asked.append(Asked(question.fact, "" if is_expected else redacted(answer, conformance.tables)))
    if not is_expected:
        pytest.fail(f"{question.fact}: the workspace answers otherwise: {redacted(answer, conformance.tables)}")

"""Readers through Spark: a problem is reported if it is still there when the table is read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql.types import LongType, StructField, StructType

from pytest_delta_schema.backends import concurrency
from pytest_delta_schema.backends.local.reading import located, read_tables
from pytest_delta_schema.backends.spark_session.reading import read_table
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError
from pytest_delta_schema.models.names import QualifiedName
from support.logs import field, metadata, protocol
from support.tables import NAME

OTHER = QualifiedName("dev", "silver", "other")


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch):
    monkeypatch.setattr(concurrency, "PAUSES", (0, 0, 0))


def delta(comment="Read"):
    return "\t".join(
        ["delta", "/lake", "3", json.dumps(metadata(field("id"), comment=comment)), json.dumps(protocol()), ""]
    )


class Bridge:
    """A JVM that answers about a table in turn, and about others that they are there."""

    warehouse = Path("/warehouse")

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def register(self, names):
        pass

    def is_warehouse(self, _):
        return True

    def with_logical_names(self, text):
        return text

    def inspect(self, _):
        return None

    def read(self, request):
        self.requests.append(request.count("\n"))
        return "".join(
            f"{self.answers.pop(0) if 'orders' in line else delta()}\n" for line in request.split("\n") if line
        )


READ, ABSENT = (True, "Read"), (False, "")
GONE, FILES, LOST = "gone\t/lake", "files\t", "files\t_delta_log/0.crc"
HIDDEN, UNREADABLE = "hidden\tnobody may look", "unreadable\t/lake\tno file 3.json"
PASSING = {
    "gone, then replaced": ([GONE, delta()], READ),
    "gone, then dropped": ([GONE, "absent"], ABSENT),
    "half dropped": ([FILES, LOST, "absent"], ABSENT),
    "half created": ([FILES, delta()], READ),
    "not to be listed": ([HIDDEN, delta()], READ),
    "a file is gone": ([UNREADABLE, delta()], READ),
    "another file each time": ([UNREADABLE, f"{UNREADABLE}4", f"{UNREADABLE}5", delta()], READ),
    "no problem": ([delta()], READ),
}
LASTING = {
    "gone": (GONE, "DS503"),
    "files": (FILES, "DS505"),
    "lost": (LOST, "DS503"),
    "hidden": (HIDDEN, "DS502"),
    "unreadable": (UNREADABLE, "DS502"),
}


@pytest.mark.parametrize(("answers", "state"), PASSING.values(), ids=PASSING)
def test_a_problem_that_has_passed_is_not_reported(answers, state):
    bridge = Bridge(*answers)

    result = read_tables(bridge, [NAME, OTHER])

    table = result.tables[NAME]
    assert (table.exists, table.table_comment, dict(result.problems)) == (*state, {})
    assert bridge.answers == []
    # The other table is read once.
    assert bridge.requests == [2, *[1] * (len(answers) - 1)]


@pytest.mark.parametrize(("answer", "code"), LASTING.values(), ids=LASTING)
def test_a_problem_that_stays_is_reported_after_a_second_read(answer, code):
    bridge = Bridge(answer, answer)

    result = read_tables(bridge, [NAME, OTHER])

    assert (result.problems[NAME].code, result.tables[OTHER].exists) == (code, True)
    assert bridge.requests == [2, 1]


def test_the_location_of_a_table_that_is_replaced_meanwhile():
    assert located(Bridge(GONE, delta()), NAME)[1] == "/lake"


def test_the_location_of_a_table_whose_log_is_gone():
    with pytest.raises(CatalogReadError, match="is gone"):
        located(Bridge(GONE, GONE), NAME)


class Session:
    """A session in which the first queries fail."""

    def __init__(self, *errors):
        self.errors = list(errors)

    def rows(self, text):
        if text.startswith("SHOW"):
            return [["delta.minReaderVersion", "1"], ["delta.minWriterVersion", "2"]]
        if self.errors:
            raise self.errors.pop(0)
        return [
            ["id", "bigint", None],
            ["", "", ""],
            ["# Detailed Table Information", "", ""],
            ["Provider", "delta", ""],
            ["Location", "s3://lake", ""],
            ["Comment", "Read", ""],
        ]

    def schema(self, _):
        return StructType([StructField("id", LongType())])

    def files(self, _):
        return None

    def read(self):
        return read_table(self, NAME)


def failed(number):
    return StatementError(f"{number}.json is not there", condition="FAILED_READ_FILE.FILE_NOT_EXIST")


ABSENT_TABLE = StatementError("no table", condition="TABLE_OR_VIEW_NOT_FOUND")
LOST_SESSION = StatementError("the session is stopped; start one", condition="SESSION_STOPPED")


@pytest.mark.parametrize(
    ("errors", "exists"),
    [
        ([failed(1)], True),
        ([failed(1), failed(2), failed(3)], True),
        ([failed(1), ABSENT_TABLE], False),
        ([ABSENT_TABLE], False),
    ],
    ids=["once", "another file each time", "dropped", "absent"],
)
def test_a_problem_of_a_session_that_has_passed_is_not_reported(errors, exists):
    state = Session(*errors).read()

    assert (state is not None and state.table_comment == "Read") is exists


@pytest.mark.parametrize(
    ("error", "number", "code"), [(failed(1), 2, "DS502"), (LOST_SESSION, 1, "DS501")], ids=["a file", "the session"]
)
def test_a_problem_of_a_session_that_stays_is_reported(error, number, code):
    session = Session(*[error] * 4)

    problem = session.read()

    assert isinstance(problem, Diagnostic)
    assert (problem.code, 4 - len(session.errors)) == (code, number)

"""Where the session catalog reads commits, from what a session answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_delta_schema import CatalogReadError, to_struct_type
from pytest_delta_schema.backends.logs.files import LocalLog, local_folder
from pytest_delta_schema.backends.spark_session.reading import commits_from_history
from pytest_delta_schema.delta.log_files import commit_name
from pytest_delta_schema.diagnostics.errors import StatementError
from support.logs import commit, delta_log, field
from support.tables import NAME, column, table


class Session:
    """Answers statements about one table; files are read line by line."""

    def __init__(self, folder, *properties, opens_files=False):
        self.folder = folder
        self.properties = properties
        self.opens_files = opens_files

    def rows(self, statement):
        if statement.startswith("DESCRIBE TABLE"):
            return [
                ("id", "bigint", ""),
                ("# Detailed Table Information", "", ""),
                ("Location", self.folder.as_uri(), ""),
            ]
        if statement.startswith("SHOW TBLPROPERTIES"):
            return [(name, "supported") for name in self.properties]
        if statement.startswith("DESCRIBE HISTORY"):
            return [{"version": version} for version in (2, 1, 0)]
        path = local_folder(statement.partition("`")[2].rstrip("`"))
        try:
            return [(line,) for line in Path(path).read_text("utf-8").splitlines()]
        except FileNotFoundError as error:
            raise StatementError(str(error)) from error

    def schema(self, _):
        return to_struct_type(table(column()))

    def files(self, location):
        return LocalLog(local_folder(location)) if self.opens_files else None


@pytest.fixture
def folder(tmp_path):
    delta_log(tmp_path, field("id"))
    commit(tmp_path, 1, {"add": {"path": "a", "dataChange": True}})
    return tmp_path


def test_files_are_read_where_the_session_can_open_them(folder):
    log = commits_from_history(Session(folder, opens_files=True), NAME)

    assert [(made.version, made.operation) for made in log.commits()] == [(0, "TEST"), (1, "TEST")]


def test_over_spark_connect_each_commit_of_the_history_is_a_query(folder):
    log = commits_from_history(Session(folder), NAME)

    assert log.log.names() == [commit_name(2), commit_name(1), commit_name(0)]
    assert [column.name for column in log.state_at(1).columns] == ["id"]
    with pytest.raises(CatalogReadError, match="its Delta log cannot be read"):
        log.commits()


@pytest.mark.parametrize("feature", ["delta.feature.catalogManaged", "delta.feature.catalogOwned-preview"])
def test_commits_that_the_catalog_holds_are_in_no_log(folder, feature):
    session = Session(folder, feature)

    with pytest.raises(CatalogReadError, match="keeps its newest commits in its catalog, and not in its log"):
        commits_from_history(session, NAME)

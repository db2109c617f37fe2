"""Commits from the actions of a log."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from pytest_delta_schema.state.log_facts import Commit, DataFile, commit_of

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def info(**values):
    return {"commitInfo": values}


@pytest.mark.parametrize(
    ("actions", "commit"),
    [
        ([], Commit(version=7, operation="")),
        (
            [
                info(
                    timestamp=1000,
                    inCommitTimestamp=86_400_000,
                    operation="MERGE",
                    operationParameters={"predicate": '["(id = 1)"]', "notMatchedPredicates": [], "none": None},
                    operationMetrics={"numOutputRows": "12", "numTargetRowsUpdated": 3, "ratio": "0.5", "text": "a"},
                    userMetadata="nightly",
                )
            ],
            Commit(
                version=7,
                operation="MERGE",
                timestamp=datetime(1970, 1, 2, tzinfo=timezone.utc),
                metrics={"numOutputRows": 12, "numTargetRowsUpdated": 3},
                parameters={"predicate": '["(id = 1)"]', "notMatchedPredicates": "[]"},
                user_metadata="nightly",
            ),
        ),
        (
            [
                info(operation="DELETE", timestamp=0),
                {
                    "add": {
                        "path": "a%20b",
                        "dataChange": True,
                        "stats": '{"numRecords":5}',
                        "deletionVector": {"cardinality": 2},
                    }
                },
                {"remove": {"path": "a%20b", "dataChange": True, "stats": '{"numRecords":5}'}},
                {"remove": {"path": "c", "dataChange": True}},
                {"remove": {"path": "d", "stats": "{"}},
            ],
            Commit(
                version=7,
                operation="DELETE",
                added=(DataFile(path="a b", rows=3),),
                removed=(DataFile(path="a b", rows=5), DataFile(path="c"), DataFile(path="d")),
                changes_rows=True,
            ),
        ),
        (
            [info(operation="OPTIMIZE"), {"add": {"path": "a", "dataChange": False}}, {"cdc": {"path": "x"}}],
            Commit(version=7, operation="OPTIMIZE", added=(DataFile(path="a"),)),
        ),
        (
            [info(operation="CREATE TABLE"), {"metaData": {"id": "one"}}, {"protocol": {}}],
            Commit(version=7, operation="CREATE TABLE", table_id="one"),
        ),
    ],
    ids=["empty", "merge", "deletion vector", "files only", "creation"],
)
def test_commits_of_actions(actions, commit):
    assert commit_of(7, actions) == commit

"""Rows that commits change: from the metrics and files that Delta 4.4.0 writes, case by case."""

from __future__ import annotations

import pytest

from pytest_delta_schema.state.log_facts import Commit, DataFile
from pytest_delta_schema.test_kit.effects import ChangedRows, counts_in_log, rewritten_files, rows_by_file

OLD = {"a": 10, "b": 5}
"""The rows of the files before each commit."""


def made(operation, added=(), removed=(), *, changes_rows=True, **metrics):
    """Describe a commit; files are paths, each with its rows if the log has them."""
    adds, removes = (
        tuple(
            DataFile(path=path, rows=int(rows) if rows else None)
            for path, _, rows in (file.partition(":") for file in files)
        )
        for files in (added, removed)
    )
    return Commit(
        version=1, operation=operation, added=adds, removed=removes, changes_rows=changes_rows, metrics=metrics
    )


MERGED = {"numTargetRowsInserted": 2, "numTargetRowsUpdated": 1, "numTargetRowsDeleted": 1, "numOutputRows": 10}


CASES = {
    "creation": (made("CREATE TABLE", changes_rows=False), ChangedRows(), 0),
    "metadata": (made("ADD COLUMNS", changes_rows=False), ChangedRows(), 0),
    "append": (made("WRITE", ["c:3"], numOutputRows=3), ChangedRows(added=3), 0),
    "append without statistics": (made("WRITE", ["c"], numOutputRows=3), ChangedRows(added=3), 0),
    "append of nothing": (made("WRITE", changes_rows=False, numOutputRows=0), ChangedRows(), 0),
    "stream": (made("STREAMING UPDATE", ["c:3"], numOutputRows=3), ChangedRows(added=3), 0),
    "creation with rows": (made("CREATE TABLE AS SELECT", ["c:3"], numOutputRows=3), ChangedRows(added=3), 0),
    "files": (made("COPY INTO", ["c:3", "d:4"]), ChangedRows(added=7), 0),
    "files without statistics": (made("CONVERT", ["c:3", "d"]), None, 0),
    "overwrite": (made("WRITE", ["c:2"], ["a", "b"], numOutputRows=2), ChangedRows(added=2, removed=15), 0),
    "replacement": (
        made("CREATE OR REPLACE TABLE AS SELECT", ["c:2"], ["a:9", "b"], numOutputRows=2),
        ChangedRows(added=2, removed=14),
        0,
    ),
    "overwrite of unknown files": (made("WRITE", ["c:2"], ["a", "x"], numOutputRows=2), None, 0),
    "overwrite of some rows": (
        made("WRITE", ["c:1", "d:13"], ["a", "b"], numOutputRows=14, numCopiedRows=13, numDeletedRows=2),
        ChangedRows(added=1, removed=2),
        2,
    ),
    "overwrite of some rows by deletion vectors": (
        made("WRITE", ["c:1", "a:9", "b:4"], ["a:10", "b:5"], numOutputRows=14, numCopiedRows=13, numDeletedRows=2),
        ChangedRows(added=1, removed=2),
        0,
    ),
    "update": (made("UPDATE", ["c:10"], ["a"], numUpdatedRows=3, numCopiedRows=7), ChangedRows(updated=3), 1),
    "update of all rows": (
        made("UPDATE", ["c:10"], ["a"], numUpdatedRows=10, numCopiedRows=0),
        ChangedRows(updated=10),
        1,
    ),
    "update by deletion vectors": (
        made("UPDATE", ["a:7", "c:3"], ["a:10"], numUpdatedRows=3),
        ChangedRows(updated=3),
        0,
    ),
    "update without metrics": (made("UPDATE", ["c:10"], ["a"]), None, 1),
    "delete": (made("DELETE", ["c:9"], ["a"], numDeletedRows=1, numCopiedRows=9), ChangedRows(removed=1), 1),
    "delete by deletion vectors": (made("DELETE", ["a:9"], ["a:10"], numDeletedRows=1), ChangedRows(removed=1), 0),
    "delete of whole files": (made("DELETE", [], ["a", "b"]), ChangedRows(removed=15), 0),
    "delete of unknown files": (made("DELETE", [], ["a", "x"]), None, 0),
    "truncate": (made("TRUNCATE", [], ["a:10", "b:5"]), ChangedRows(removed=15), 0),
    "merge": (
        made("MERGE", ["c:11"], ["a:10"], numTargetRowsCopied=8, **MERGED),
        ChangedRows(added=2, removed=1, updated=1),
        1,
    ),
    "merge by deletion vectors": (
        made("MERGE", ["c:3", "a:8"], ["a:10"], numTargetRowsCopied=0, **MERGED),
        ChangedRows(added=2, removed=1, updated=1),
        0,
    ),
    "merge without metrics": (made("MERGE", ["c:11"], ["a"]), None, 1),
    "update, delta-rs": (
        made("UPDATE", ["c:10"], ["a"], num_updated_rows=3, num_copied_rows=7),
        ChangedRows(updated=3),
        1,
    ),
    "delete, delta-rs": (
        made("DELETE", ["c:9"], ["a"], num_deleted_rows=1, num_copied_rows=9),
        ChangedRows(removed=1),
        1,
    ),
    "merge, delta-rs": (
        made(
            "MERGE",
            ["c:11"],
            ["a"],
            num_target_rows_inserted=2,
            num_target_rows_updated=1,
            num_target_rows_deleted=1,
            num_target_rows_copied=8,
            num_output_rows=11,
        ),
        ChangedRows(added=2, removed=1, updated=1),
        1,
    ),
    "append, delta-rs": (made("WRITE", ["c"], num_added_rows=3), ChangedRows(added=3), 0),
    "overwrite, delta-rs": (made("WRITE", ["c:2"], ["a", "b"], num_added_rows=2), ChangedRows(added=2, removed=15), 0),
    "overwrite of some rows, delta-rs": (
        made("WRITE", ["c:11"], ["a"], num_added_rows=3),
        ChangedRows(added=3, removed=2),
        1,
    ),
    "optimize": (made("OPTIMIZE", ["c:15"], ["a:10", "b:5"], changes_rows=False), ChangedRows(), 2),
    "statistics": (made("COMPUTE STATS", ["a:10"], ["a:10"], changes_rows=False), ChangedRows(), 0),
    "restore": (made("RESTORE", ["c:15"], ["a:10", "b:5"]), None, 0),
}


@pytest.mark.parametrize(("commit", "counts", "rewritten"), CASES.values(), ids=CASES)
def test_counts_of_commits(commit, counts, rewritten):
    assert counts_in_log(commit, lambda: OLD) == counts
    assert rewritten_files(commit) == rewritten


def test_earlier_commits_are_read_only_for_files_without_statistics():
    def file_rows():
        raise AssertionError

    assert counts_in_log(made("WRITE", ["c:2"], ["a:9"], numOutputRows=2), file_rows) == ChangedRows(added=2, removed=9)


def test_the_rows_of_files_follow_from_commits():
    commits = [made("WRITE", ["a:10", "b:5", "c"]), made("DELETE", ["a:7"], ["a:10", "b:5"]), made("WRITE", ["d:1"])]

    assert rows_by_file(commits) == {"a": 7, "d": 1}

"""The effect of a job, and the counts of rows, from hand-made commits and states."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.diagnostics.errors import EffectError
from pytest_delta_schema.state import CheckState, Commit, DataFile, ForeignKeyState, TableState
from pytest_delta_schema.test_kit.effects import (
    ChangedRows,
    Effect,
    SchemaChange,
    counts_in_log,
    rewritten_files,
    rows_by_file,
)
from support.models import KEY, NAME, state, stored, table

NO_TABLE = TableState(name=NAME, exists=False)
LEGACY = {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}
NAMED = {"delta.minReaderVersion": "3", "delta.minWriterVersion": "7"}
BEFORE = state(stored("id"), stored("note", "string"), table_properties={**LEGACY, "team": "shop"})
TIME = datetime(2026, 1, 31, 8, tzinfo=timezone.utc)
WRITE = Commit(
    version=4,
    operation="WRITE",
    timestamp=TIME,
    parameters={"mode": "Append"},
    metrics={"numOutputRows": 3},
    added=(DataFile(path="a", rows=3),),
    changes_rows=True,
    user_metadata="nightly\n",
)
REPLACE = Commit(
    version=5,
    operation="WRITE",
    timestamp=TIME,
    parameters={"mode": "Overwrite"},
    metrics={"numOutputRows": 1},
    added=(DataFile(path="b", rows=1),),
    removed=(DataFile(path="a"), DataFile(path="old")),
    changes_rows=True,
)
RESTORE = Commit(
    version=6,
    operation="RESTORE",
    timestamp=TIME,
    added=(DataFile(path="a"),),
    removed=(DataFile(path="b"),),
    changes_rows=True,
)
UPDATE = Commit(version=7, operation="UPDATE", timestamp=TIME, metrics={"numUpdatedRows": 2}, changes_rows=True)
OPTIMIZE = Commit(
    version=8,
    operation="OPTIMIZE",
    timestamp=TIME,
    added=(DataFile(path="c"),),
    removed=(DataFile(path="a"),),
)


class Source:
    """What a catalog would return."""

    def __init__(self, drift=""):
        self._drift = drift

    def compared(self, version):
        return {6: ChangedRows(added=4, removed=5)}[version]

    def commits_before(self):
        return (replace(WRITE, version=1, added=(DataFile(path="old", rows=20),)),)

    def drift(self, model):
        assert model.qualified_name == "dev.silver.orders"
        return self._drift


def effect(*commits, before=BEFORE, after=BEFORE, table_was="kept", drift=""):
    return Effect(table=NAME, before=before, after=after, table_was=table_was, commits=commits, source=Source(drift))


@pytest.mark.parametrize(
    ("commits", "operations", "counts"),
    [
        ((), (), (0, 0, 0, 0)),
        ((WRITE,), ("WRITE",), (3, 0, 0, 0)),
        ((WRITE, REPLACE), ("WRITE", "WRITE"), (4, 23, 0, 0)),
        ((RESTORE,), ("RESTORE",), (4, 5, 0, 0)),
        ((UPDATE, OPTIMIZE), ("UPDATE", "OPTIMIZE"), (0, 0, 2, 1)),
    ],
    ids=["none", "append", "overwrite of new and older files", "compared", "update"],
)
def test_rows_and_files(commits, operations, counts):
    made = effect(*commits)

    assert (made.rows_added, made.rows_removed, made.rows_updated, made.files_rewritten) == counts
    assert made.operations == operations
    assert made.versions == tuple(commit.version for commit in commits)


def change(path, before, after):
    return SchemaChange(path=path, before=before, after=after)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (BEFORE, BEFORE, []),
        (BEFORE, replace(BEFORE, version=9, table_properties={"team": "x"}), []),
        (BEFORE, replace(BEFORE, columns=BEFORE.columns[::-1]), []),
        (
            BEFORE,
            replace(BEFORE, columns=(*BEFORE.columns, stored("x", "int"))),
            [change("columns.x", "(absent)", "int")],
        ),
        (BEFORE, replace(BEFORE, columns=BEFORE.columns[:1]), [change("columns.note", "string", "(absent)")]),
        (
            BEFORE,
            replace(BEFORE, checks=(CheckState("positive", "id > 0"),)),
            [change("checks.positive", "(absent)", "id > 0")],
        ),
        (BEFORE, replace(BEFORE, primary_key=KEY), None),
        (
            BEFORE,
            replace(
                BEFORE,
                foreign_keys=(ForeignKeyState("fk", ("id",), QualifiedName("dev", "silver", "p"), ("id",)),),
            ),
            None,
        ),
        (BEFORE, replace(BEFORE, partitioning=("id",)), None),
        (BEFORE, replace(BEFORE, table_comment="new"), [change("comment", "''", "'new'")]),
        (NO_TABLE, NO_TABLE, []),
        (BEFORE, NO_TABLE, [change("table", "2 columns", "(absent)")]),
    ],
    ids=[
        "equal",
        "properties",
        "order",
        "column",
        "dropped column",
        "check",
        "key",
        "foreign key",
        "layout",
        "comment",
        "absent",
        "dropped",
    ],
)
def test_schema_changes(before, after, changes):
    made = effect(before=before, after=after)

    if changes is not None:
        assert list(made.schema_changes) == changes
    else:
        assert made.schema_changes
    if made.schema_changes:
        with pytest.raises(EffectError):
            _ = made.kept_schema
    else:
        assert made.kept_schema


def test_a_created_table_has_all_of_its_parts_as_changes():
    made = effect(before=NO_TABLE, after=BEFORE, table_was="created")

    assert [str(change) for change in made.schema_changes] == [
        "table: (absent) -> 2 columns",
        "columns.id: (absent) -> bigint",
        "columns.note: (absent) -> string",
    ]


@pytest.mark.parametrize(
    ("before", "after", "features", "properties"),
    [
        (LEGACY, LEGACY, (), {}),
        (
            LEGACY,
            {**LEGACY, "team": "x", "delta.appendOnly": "true"},
            (),
            {"team": (None, "x"), "delta.appendOnly": (None, "true")},
        ),
        ({**LEGACY, "team": "x"}, LEGACY, (), {"team": ("x", None)}),
        (
            LEGACY,
            {**LEGACY, "delta.minWriterVersion": "4"},
            ("changeDataFeed", "checkConstraints", "generatedColumns"),
            {},
        ),
        (
            LEGACY,
            {**NAMED, "delta.feature.deletionVectors": "supported", "delta.enableDeletionVectors": "true"},
            ("deletionVectors",),
            {"delta.enableDeletionVectors": (None, "true")},
        ),
        (
            {**NAMED, "delta.feature.a": "supported"},
            {
                **NAMED,
                "delta.feature.b": "supported",
                "delta.feature.a": "supported",
                "delta.columnMapping.maxColumnId": "4",
            },
            ("b",),
            {},
        ),
        ({}, LEGACY, ("appendOnly", "invariants"), {}),
    ],
    ids=["equal", "set", "unset", "legacy", "first feature", "another feature", "new table"],
)
def test_features_and_properties(before, after, features, properties):
    made = effect(before=state(table_properties=before), after=state(table_properties=after))

    assert made.features_raised == features
    assert made.properties_changed == properties


LISTED = """\
the table was kept; the job made 2 commits:
  version 4  2026-01-31 08:00:00 UTC  WRITE (Append)  +3 rows  [nightly\\n]
  version 6  2026-01-31 08:00:00 UTC  RESTORE  rows are not counted"""


@pytest.mark.parametrize(
    ("commits", "operations", "message"),
    [
        ((WRITE, RESTORE), ["merge", "WRITE"], f"dev.silver.orders: the job should run only merge and WRITE\n{LISTED}"),
        ((), ["MERGE"], "dev.silver.orders: the job should run only MERGE\nthe table was kept; the job made no commit"),
        (
            (REPLACE, UPDATE, OPTIMIZE),
            ["WRITE"],
            """\
dev.silver.orders: the job should run only WRITE
the table was kept; the job made 3 commits:
  version 5  2026-01-31 08:00:00 UTC  WRITE (Overwrite)  rows are not counted
  version 7  2026-01-31 08:00:00 UTC  UPDATE  ~2 rows
  version 8  2026-01-31 08:00:00 UTC  OPTIMIZE  no rows""",
        ),
        (
            (Commit(version=0, operation="", timestamp=TIME),),
            ["WRITE"],
            """\
dev.silver.orders: the job should run only WRITE
the table was kept; the job made 1 commit:
  version 0  2026-01-31 08:00:00 UTC  (no operation)  no rows""",
        ),
    ],
    ids=["another operation", "no commit", "several", "no operation"],
)
def test_a_failure_lists_each_commit(commits, operations, message):
    with pytest.raises(EffectError) as caught:
        effect(*commits).only(*operations)

    assert isinstance(caught.value, AssertionError)
    assert str(caught.value) == message


def test_a_job_that_should_commit_nothing():
    assert effect().made_no_commit()
    with pytest.raises(EffectError) as caught:
        effect(WRITE, UPDATE).made_no_commit()

    first, second, *commits = str(caught.value).splitlines()
    assert first == f"{NAME}: the job should commit nothing"
    assert second == "the table was kept; the job made 2 commits:"
    assert [line.split("  ")[1] for line in commits] == ["version 4", "version 7"]


def test_operations_that_were_expected():
    assert effect(WRITE, RESTORE).only("write", "RESTORE")


def test_a_changed_schema_is_shown_with_the_commits():
    after = replace(BEFORE, columns=(stored("id", "int"), stored("note", "string")))

    with pytest.raises(EffectError) as caught:
        _ = effect(WRITE, RESTORE, after=after).kept_schema

    assert str(caught.value) == (
        f"dev.silver.orders: the job should keep the schema, and changed it\n  ~ columns.id: bigint -> int\n{LISTED}"
    )


def test_the_contract():
    model = table()

    assert effect(WRITE).kept_contract(model)
    with pytest.raises(EffectError) as caught:
        effect(WRITE, RESTORE, drift="SQL").kept_contract(model)

    assert str(caught.value) == (
        f"dev.silver.orders: the job should keep the contract of dev.silver.orders, and did not\nSQL\n{LISTED}"
    )


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
        version=1,
        operation=operation,
        added=adds,
        removed=removes,
        changes_rows=changes_rows,
        metrics=metrics,
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

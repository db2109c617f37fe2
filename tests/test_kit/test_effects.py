"""The effect of a job, and the counts of rows, from hand-made commits and states."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from pytest_delta_schema.diagnostics.errors import DeclarationError, EffectError
from pytest_delta_schema.state import CatalogState, Commit, DataFile, TableState
from pytest_delta_schema.test_kit.effects import (
    ChangedRows,
    Effect,
    Observation,
    counts_in_log,
    rewritten_files,
    rows_by_file,
)
from support.models import NAME, state, stored, table
from support.snapshots import TextSnapshot

NO_TABLE = TableState(name=NAME, exists=False)
LEGACY = {"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}
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


def test_rows_and_files():
    counts = [
        ((), (0, 0, 0, 0)),
        ((WRITE,), (3, 0, 0, 0)),
        ((WRITE, REPLACE), (4, 23, 0, 0)),  # of new files, and of older ones
        ((RESTORE,), (4, 5, 0, 0)),  # compared
        ((UPDATE, OPTIMIZE), (0, 0, 2, 1)),
    ]
    for commits, expected in counts:
        made = effect(*commits)

        assert (made.rows_added, made.rows_removed, made.rows_updated, made.files_rewritten) == expected
        assert made.operations == tuple(commit.operation for commit in commits)
        assert made.versions == tuple(commit.version for commit in commits)


SCHEMA_CHANGES = {
    "equal": (BEFORE, []),
    "order": (replace(BEFORE, columns=BEFORE.columns[::-1]), []),
    "column": (
        replace(BEFORE, columns=(*BEFORE.columns, stored("x", "int"))),
        [("columns.x", "(absent)", "int")],
    ),
    "layout": (
        replace(BEFORE, partitioning=("id",)),
        [("layout", "neither partitioned nor clustered", "partitioned by (id)")],
    ),
    "dropped": (NO_TABLE, [("table", "2 columns", "(absent)")]),
}


def keeps_schema(made):
    try:
        return made.kept_schema
    except EffectError:
        return False


def test_schema_changes():
    effects = {name: effect(after=after) for name, (after, _) in SCHEMA_CHANGES.items()}

    assert {
        name: [(change.path, change.before, change.after) for change in made.schema_changes]
        for name, made in effects.items()
    } == {name: changes for name, (_, changes) in SCHEMA_CHANGES.items()}
    assert [name for name, made in effects.items() if keeps_schema(made)] == ["equal", "order"]
    assert keeps_schema(effect(before=NO_TABLE, after=NO_TABLE))


PROPERTIES = {
    "equal": (LEGACY, LEGACY, (), {}),
    "set": (
        LEGACY,
        {**LEGACY, "team": "x", "delta.appendOnly": "true"},
        (),
        {"team": (None, "x"), "delta.appendOnly": (None, "true")},
    ),
    "legacy": (
        LEGACY,
        {**LEGACY, "delta.minWriterVersion": "4"},
        ("changeDataFeed", "checkConstraints", "generatedColumns"),
        {},
    ),
    "new table": ({}, LEGACY, ("appendOnly", "invariants"), {}),
}


def test_features_and_properties():
    for name, (before, after, features, properties) in PROPERTIES.items():
        made = effect(before=state(table_properties=before), after=state(table_properties=after))

        assert (name, made.features_raised, made.properties_changed) == (name, features, properties)


def test_a_failure_lists_each_commit(snapshot):
    int_id = replace(BEFORE, columns=(stored("id", "int"), stored("note", "string")))
    failures = [
        lambda: effect(WRITE, RESTORE).only("merge", "WRITE"),
        lambda: effect(WRITE, UPDATE).made_no_commit(),
        lambda: effect(WRITE, RESTORE, after=int_id).kept_schema,
        lambda: effect(WRITE, RESTORE, drift="SQL").kept_contract(table()),
    ]
    texts = []
    for failure in failures:
        with pytest.raises(EffectError) as caught:
            failure()
        assert isinstance(caught.value, AssertionError)
        texts.append(str(caught.value))

    assert "\n\n".join([*texts, ""]) == snapshot(extension_class=TextSnapshot)
    assert effect().made_no_commit()
    assert effect(WRITE).kept_contract(table())


OLD = {"a": 10, "b": 5}
"""The rows of the files before each commit."""


def made(operation, added="", removed="", **metrics):
    """Describe a commit; files are paths, each with its rows if the log has them."""
    files = [
        tuple(
            DataFile(path=path, rows=int(rows) if rows else None)
            for path, _, rows in (file.partition(":") for file in paths.split())
        )
        for paths in (added, removed)
    ]
    return Commit(
        version=1,
        operation=operation,
        added=files[0],
        removed=files[1],
        changes_rows=operation not in KEEPING_ROWS and bool(added or removed),
        metrics=metrics,
    )


KEEPING_ROWS = {"CREATE TABLE", "ADD COLUMNS", "OPTIMIZE", "COMPUTE STATS"}
MERGED = {"numTargetRowsInserted": 2, "numTargetRowsUpdated": 1, "numTargetRowsDeleted": 1, "numOutputRows": 10}
DELTA_RS = {name: f"num_target_rows_{name}" for name in ("inserted", "updated", "deleted", "copied")}
MERGED_RS = {DELTA_RS["inserted"]: 2, DELTA_RS["updated"]: 1, DELTA_RS["deleted"]: 1, DELTA_RS["copied"]: 8}
SOME = {"numOutputRows": 14, "numCopiedRows": 13, "numDeletedRows": 2}
COMMITS = [
    # the operation, added and removed files, metrics, the rows that were added, removed and updated, rewritten files
    ("CREATE TABLE", "", "", {}, (0, 0, 0), 0),
    ("WRITE", "c:3", "", {"numOutputRows": 3}, (3, 0, 0), 0),
    ("WRITE", "c", "", {"numOutputRows": 3}, (3, 0, 0), 0),
    ("WRITE", "c:2", "a b", {"numOutputRows": 2}, (2, 15, 0), 0),
    ("WRITE", "c:2", "a x", {"numOutputRows": 2}, None, 0),
    ("WRITE", "c:1 d:13", "a b", SOME, (1, 2, 0), 2),
    ("UPDATE", "c:10", "a", {"numUpdatedRows": 3, "numCopiedRows": 7}, (0, 0, 3), 1),
    ("UPDATE", "a:7 c:3", "a:10", {"numUpdatedRows": 3}, (0, 0, 3), 0),
    ("DELETE", "c:9", "a", {"numDeletedRows": 1, "numCopiedRows": 9}, (0, 1, 0), 1),
    ("DELETE", "a:9", "a:10", {"numDeletedRows": 1}, (0, 1, 0), 0),
    ("DELETE", "", "a b", {}, (0, 15, 0), 0),
    ("TRUNCATE", "", "a:10 b:5", {}, (0, 15, 0), 0),
    ("MERGE", "c:11", "a:10", {"numTargetRowsCopied": 8, **MERGED}, (2, 1, 1), 1),
    ("MERGE", "c:3 a:8", "a:10", {"numTargetRowsCopied": 0, **MERGED}, (2, 1, 1), 0),
    # the metrics of delta-rs
    ("UPDATE", "c:10", "a", {"num_updated_rows": 3, "num_copied_rows": 7}, (0, 0, 3), 1),
    ("MERGE", "c:11", "a", {"num_output_rows": 11, **MERGED_RS}, (2, 1, 1), 1),
    ("WRITE", "c", "", {"num_added_rows": 3}, (3, 0, 0), 0),
    ("WRITE", "c:11", "a", {"num_added_rows": 3}, (3, 2, 0), 1),
    ("OPTIMIZE", "c:15", "a:10 b:5", {}, (0, 0, 0), 2),
    ("RESTORE", "c:15", "a:10 b:5", {}, None, 0),
]


def counted(commit):
    counts = counts_in_log(commit, lambda: OLD)
    return None if counts is None else (counts.added, counts.removed, counts.updated)


def test_counts_of_commits():
    commits = [(case, made(*case[:3], **case[3])) for case in COMMITS]

    assert [(*case[:4], counted(commit), rewritten_files(commit)) for case, commit in commits] == COMMITS


def test_the_rows_of_files_follow_from_commits():
    commits = [made("WRITE", "a:10 b:5 c"), made("DELETE", "a:7", "a:10 b:5"), made("WRITE", "d:1")]

    assert rows_by_file(commits) == {"a": 7, "d": 1}


class Unchanged:
    """A catalog of a table that nobody changes."""

    def read_tables(self, _):
        return CatalogState(tables={NAME: BEFORE})

    def version(self, _):
        return WRITE.version

    def commits(self, _, *, first=0):
        return (WRITE,) if first <= WRITE.version else ()

    def state_at(self, *_):
        return BEFORE


def test_an_interrupted_job_is_not_observed():
    with pytest.raises(KeyboardInterrupt), Observation(Unchanged(), NAME, lambda _: "") as effect:
        raise KeyboardInterrupt

    with pytest.raises(
        DeclarationError,
        match=r"^dev\.silver\.orders: versions of an effect is known when the block ends",
    ):
        _ = effect.versions


def test_an_effect_is_not_known_inside_the_block():
    with Observation(Unchanged(), NAME, lambda _: "") as effect:
        with pytest.raises(DeclarationError) as caught:
            effect.only("WRITE")
        assert repr(effect) == "effect on dev.silver.orders: not known before the block ends"
        assert not hasattr(effect, "_nothing")

    assert str(caught.value) == (
        "dev.silver.orders: only of an effect is known when the block ends; read it after the block"
    )
    assert repr(effect) == "effect on dev.silver.orders: the table was kept; the job made no commit"

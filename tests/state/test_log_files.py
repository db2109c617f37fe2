"""Names in a log: which files a reader needs, and which lack."""

from __future__ import annotations

import json
from itertools import chain

from pytest_delta_schema.delta.log_files import CheckpointHint, LogListing, checksum_name, commit_name
from support.case_tables import cases

UUID = "0d7ab2b3-0000-4000-8000-000000000000"


def listing(*names, commits=()):
    return LogListing.of([*names, *map(commit_name, commits)])


def test_nothing():
    empty = listing("_staged_commits", ".00000000000000000000.json.0d7ab2b3.tmp", "00000000000000000000.json.tmp")

    assert (empty.newest, empty.checkpoint, empty.missing, empty.needed, empty.orphan) == (-1, -1, (), (), None)
    assert not empty.has_all_commits


def test_checkpoints_count_if_they_are_complete():
    parts = ["checkpoint.0000000001.0000000002.parquet", "checkpoint.0000000002.0000000002.parquet"]
    complete = [["checkpoint.parquet"], [f"checkpoint.{UUID}.json"], [f"checkpoint.{UUID}.parquet"], parts]
    for names in (*complete, parts[:1], ["checkpoint.parquet.crc"], ["checkpoint.other.thing.parquet"]):
        files = tuple(f"{7:020d}.{name}" for name in names)
        listed = listing(*files, commits=[7, 8])

        assert listed.checkpoints == ({7: files} if names in complete else {})
        assert listed.checkpoint == (7 if names in complete else -1)


def test_commits():
    def found(checkpoint, commits):
        names = [] if checkpoint is None else [f"{checkpoint:020d}.checkpoint.parquet"]
        listed = listing(*names, commits=commits)
        return listed.newest, [*chain(*listed.missing)], listed.needed, listed.has_all_commits

    with cases(found) as case:
        for checkpoint, commits, newest, missing, needed, has_all in (
            (None, [0, 1, 2], 2, [], [0, 1, 2], True),
            (None, [0, 2], 2, [1], [0, 2], False),
            (None, [2], 2, [0, 1], [2], False),
            (1, [0, 1, 2, 3], 3, [], [2, 3], True),
            (1, [1, 2, 4], 4, [3], [2, 4], False),
            (2, [0, 1, 2], 2, [], [2], True),
            (3, [2], 3, [], [], False),
        ):
            case(checkpoint, commits, (newest, missing, tuple(map(commit_name, needed)), has_all))


def test_merged_commits_are_needed_after_the_checkpoint():
    early, across, late = (f"{first:020d}.{first + 1:020d}.compacted.json" for first in (0, 2, 3))

    listed = listing(f"{2:020d}.checkpoint.parquet", early, across, late, commits=[3, 4])

    assert listed.needed == (late, commit_name(3), commit_name(4))


def test_a_checksum_whose_commit_lacks():
    for checksums, orphan in (([], None), ([0, 1], None), ([0, 1, 2], 2), ([2, 5], 5)):
        assert listing(*map(checksum_name, checksums), commits=[0, 1]).orphan == orphan


def test_the_hint_at_the_newest_checkpoint():
    sidecars = b'{"version": 3, "v2Checkpoint": {"sidecarFiles": [{"path": "a"}, {"path": "b"}]}}'
    hints = {
        b'{"version": 3, "size": 4}': CheckpointHint(3),
        b'{"version": 3, "v2Checkpoint": null}': CheckpointHint(3),
        sidecars: CheckpointHint(3, ("a", "b")),
    }
    wrong = [b'{"version": 3, "v2Checkpoint": {"sidecarFiles": [5]}}', b'{"version": "x"}', b'{"size": 4}', b"5", b""]
    wrong += [b"{", b"\xff\xfe\x00", b"[" * 200_000, b'{"version": 3, "v2Checkpoint": [1]}']

    assert {content: CheckpointHint.of(content) for content in hints} == hints
    assert [content for content in wrong if CheckpointHint.of(content) is not None] == []


def test_a_checkpoint_of_the_second_version_has_a_name_with_a_uuid():
    classic, second = f"{2:020d}.checkpoint.parquet", f"{2:020d}.checkpoint.{UUID}.json"

    assert listing(classic).second_checkpoints == ()
    assert listing(classic, second).second_checkpoints == (second,)
    assert listing(f"{3:020d}.checkpoint.parquet", second).second_checkpoints == ()


def test_the_schema_of_a_checkpoint_in_a_hint():
    def lacks_actions(schema):
        hint = CheckpointHint.of(json.dumps({"version": 2, "checkpointSchema": schema}).encode())
        assert hint in (CheckpointHint(2), CheckpointHint(2, lacks_actions=True))
        return hint.lacks_actions

    names = ("metaData", "protocol", "add")
    assert [lacks_actions({"fields": [{"name": name} for name in names]}), lacks_actions("x"), lacks_actions(None)] == [
        False
    ] * 3
    assert [lacks_actions({"fields": [{"name": "metaData"}, {"name": "add"}]}), lacks_actions({"fields": []})] == [
        True
    ] * 2

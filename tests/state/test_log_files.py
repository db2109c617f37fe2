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


def test_commits_that_the_checkpoint_holds_are_not_missing():
    def missing(checkpoint, *commits):
        listed = listing(f"{checkpoint:020d}.checkpoint.parquet", commits=commits)
        return sum(map(len, listed.missing))

    assert [missing(3, 3, 5), missing(3, 2, 3, 4, 5), missing(3, 5)] == [1, 0, 1]
    assert [missing(3, 3), missing(3), missing(0, 0, 3)] == [0, 0, 2]


def test_merged_commits_are_needed_after_the_checkpoint():
    early, across, late = (f"{first:020d}.{first + 1:020d}.compacted.json" for first in (0, 2, 3))

    listed = listing(f"{2:020d}.checkpoint.parquet", early, across, late, commits=[3, 4])

    assert listed.needed == (late, commit_name(3), commit_name(4))


def test_numbers_without_20_digits():
    def misnamed(*names):
        listed = listing(*names, commits=[0, 1])
        assert (listed.newest, listed.needed) == (1, (commit_name(0), commit_name(1)))
        return listed.misnamed

    long, huge = f"{10**19}.json", f"{93 * 10**17:020d}.json"
    most = f"{7:020d}.checkpoint.{1:010d}.{9_999_999_999}.parquet"
    with cases(misnamed) as case:
        case("5.json", ("5.json",))
        case(f"{2:019d}.json", f"{2:021d}.json", (f"{2:021d}.json", f"{2:019d}.json"))
        case("2.checkpoint.parquet", "2.checkpoint.1.2.parquet", ("2.checkpoint.1.2.parquet", "2.checkpoint.parquet"))
        case("0.2.compacted.json", ("0.2.compacted.json",))
        case(long, huge, (huge, long))
        case(f"{0:020d}.{10**20 - 1}.compacted.json", (f"{0:020d}.{10**20 - 1}.compacted.json",))
        case(f"{10**19}.crc", f"{10**19}.txt", (f"{10**19}.crc",))
        case(most, f"{7:020d}.checkpoint.{1:010d}.{2:010d}.parquet", (most,))
        case(f"{3:020d}.checkpoint.other.parquet", (f"{3:020d}.checkpoint.other.parquet",))
        case("x.json", "5.json.tmp", ".5.json", "5.crc", "\u0665.json", f"{2:020d}.checkpoint.parquet.crc", ())


def test_a_huge_version_costs_no_memory():
    for newest in (10**6, 10**12, 2**63 - 10**18):
        listed = listing(commits=[0, 2, newest])
        assert listed.missing == (range(1, 2), range(3, newest))
        assert not listed.has_all_commits


def test_a_checkpoint_with_a_huge_number_of_parts_is_not_complete():
    for number in (0, 3, 9_999_999_999):
        assert listing(f"{7:020d}.checkpoint.{1:010d}.{number:010d}.parquet", commits=[7]).checkpoints == {}


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
    wrong = [
        b'{"version": 3, "v2Checkpoint": {"sidecarFiles": [5]}}',
        b'{"version": "x"}',
        b'{"size": 4}',
        b"[]",
        b"5",
        b"",
    ]
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

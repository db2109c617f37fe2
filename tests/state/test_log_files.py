"""Names in a log: which files a reader needs, and which lack."""

from __future__ import annotations

import json
from itertools import chain

import pytest

from pytest_delta_schema.delta.log_files import CheckpointHint, LogListing, checksum_name, commit_name

UUID = "0d7ab2b3-0000-4000-8000-000000000000"


def listing(*names, commits=()):
    return LogListing.of([*names, *map(commit_name, commits)])


def test_nothing():
    empty = listing("_staged_commits", ".00000000000000000000.json.0d7ab2b3.tmp", "00000000000000000000.json.tmp")

    assert (empty.newest, empty.checkpoint, empty.missing, empty.needed, empty.orphan) == (-1, -1, (), (), None)
    assert not empty.has_all_commits


@pytest.mark.parametrize(
    ("names", "files"),
    [
        (["checkpoint.parquet"], ["checkpoint.parquet"]),
        ([f"checkpoint.{UUID}.json"], [f"checkpoint.{UUID}.json"]),
        ([f"checkpoint.{UUID}.parquet"], [f"checkpoint.{UUID}.parquet"]),
        (
            ["checkpoint.0000000001.0000000002.parquet", "checkpoint.0000000002.0000000002.parquet"],
            ["checkpoint.0000000001.0000000002.parquet", "checkpoint.0000000002.0000000002.parquet"],
        ),
        (["checkpoint.0000000001.0000000002.parquet"], None),
        (["checkpoint.parquet.crc"], None),
        (["checkpoint.other.thing.parquet"], None),
    ],
)
def test_checkpoints_count_if_they_are_complete(names, files):
    listed = listing(*(f"{7:020d}.{name}" for name in names), commits=[7, 8])

    assert listed.checkpoints == ({} if files is None else {7: tuple(f"{7:020d}.{name}" for name in files)})
    assert listed.checkpoint == (-1 if files is None else 7)


@pytest.mark.parametrize(
    ("checkpoint", "commits", "newest", "missing", "needed", "all_commits"),
    [
        (None, [0, 1, 2], 2, (), [0, 1, 2], True),
        (None, [0, 2], 2, (1,), [0, 2], False),
        (None, [2], 2, (0, 1), [2], False),
        (1, [0, 1, 2, 3], 3, (), [2, 3], True),
        (1, [1, 2, 4], 4, (3,), [2, 4], False),
        (2, [0, 1, 2], 2, (), [2], True),
        (3, [2], 3, (), [], False),
    ],
)
def test_commits(checkpoint, commits, newest, missing, needed, all_commits):
    names = [] if checkpoint is None else [f"{checkpoint:020d}.checkpoint.parquet"]
    listed = listing(*names, commits=commits)

    assert (listed.newest, tuple(chain(*listed.missing)), listed.has_all_commits) == (newest, missing, all_commits)
    assert listed.needed == tuple(map(commit_name, needed))


@pytest.mark.parametrize(
    ("checkpoint", "commits", "number"),
    [(3, [3, 5], 1), (3, [2, 3, 4, 5], 0), (3, [5], 1), (3, [3], 0), (3, [], 0), (0, [0, 3], 2)],
)
def test_commits_that_the_checkpoint_holds_are_not_missing(checkpoint, commits, number):
    listed = listing(f"{checkpoint:020d}.checkpoint.parquet", commits=commits)

    assert sum(map(len, listed.missing)) == number


def test_merged_commits_are_needed_after_the_checkpoint():
    early, across, late = (f"{first:020d}.{first + 1:020d}.compacted.json" for first in (0, 2, 3))

    listed = listing(f"{2:020d}.checkpoint.parquet", early, across, late, commits=[3, 4])

    assert listed.needed == (late, commit_name(3), commit_name(4))


@pytest.mark.parametrize(
    ("names", "misnamed"),
    [
        (["5.json"], ["5.json"]),
        ([f"{2:019d}.json", f"{2:021d}.json"], [f"{2:021d}.json", f"{2:019d}.json"]),
        (["2.checkpoint.parquet", "2.checkpoint.1.2.parquet"], ["2.checkpoint.1.2.parquet", "2.checkpoint.parquet"]),
        (["0.2.compacted.json"], ["0.2.compacted.json"]),
        ([f"{10**19}.json", f"{93 * 10**17:020d}.json"], [f"{93 * 10**17:020d}.json", f"{10**19}.json"]),
        ([f"{0:020d}.{10**20 - 1}.compacted.json"], [f"{0:020d}.{10**20 - 1}.compacted.json"]),
        ([f"{10**19}.crc", f"{10**19}.txt"], [f"{10**19}.crc"]),
        (
            [f"{7:020d}.checkpoint.{1:010d}.{9_999_999_999}.parquet", f"{7:020d}.checkpoint.{1:010d}.{2:010d}.parquet"],
            [f"{7:020d}.checkpoint.{1:010d}.{9_999_999_999}.parquet"],
        ),
        ([f"{3:020d}.checkpoint.other.parquet"], [f"{3:020d}.checkpoint.other.parquet"]),
        (["x.json", "5.json.tmp", ".5.json", "5.crc", "\u0665.json", f"{2:020d}.checkpoint.parquet.crc"], []),
    ],
)
def test_numbers_without_20_digits(names, misnamed):
    listed = listing(*names, commits=[0, 1])

    assert (listed.misnamed, listed.newest, listed.needed) == (
        tuple(misnamed),
        1,
        (commit_name(0), commit_name(1)),
    )


@pytest.mark.parametrize("newest", [10**6, 10**12, 2**63 - 10**18])
def test_a_huge_version_costs_no_memory(newest):
    listed = listing(commits=[0, 2, newest])

    assert listed.missing == (range(1, 2), range(3, newest))
    assert not listed.has_all_commits


@pytest.mark.parametrize("number", [0, 3, 9_999_999_999])
def test_a_checkpoint_with_a_huge_number_of_parts_is_not_complete(number):
    assert listing(f"{7:020d}.checkpoint.{1:010d}.{number:010d}.parquet", commits=[7]).checkpoints == {}


@pytest.mark.parametrize(("checksums", "orphan"), [([], None), ([0, 1], None), ([0, 1, 2], 2), ([2, 5], 5)])
def test_a_checksum_whose_commit_lacks(checksums, orphan):
    assert listing(*map(checksum_name, checksums), commits=[0, 1]).orphan == orphan


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b'{"version": 3, "size": 4}', CheckpointHint(3)),
        (b'{"version": 3, "v2Checkpoint": null}', CheckpointHint(3)),
        (
            b'{"version": 3, "v2Checkpoint": {"sidecarFiles": [{"path": "a"}, {"path": "b"}]}}',
            CheckpointHint(3, ("a", "b")),
        ),
        (b'{"version": 3, "v2Checkpoint": {"sidecarFiles": [5]}}', None),
        (b'{"version": "x"}', None),
        (b'{"size": 4}', None),
        (b"[]", None),
        (b"5", None),
        (b"", None),
        (b"{", None),
        (b"\xff\xfe\x00", None),
        (b"[" * 200_000, None),
        (b'{"version": 3, "v2Checkpoint": [1]}', None),
    ],
)
def test_the_hint_at_the_newest_checkpoint(content, hint):
    assert CheckpointHint.of(content) == hint


def test_a_checkpoint_of_the_second_version_has_a_name_with_a_uuid():
    classic, second = f"{2:020d}.checkpoint.parquet", f"{2:020d}.checkpoint.{UUID}.json"

    assert listing(classic).second_checkpoints == ()
    assert listing(classic, second).second_checkpoints == (second,)
    assert listing(f"{3:020d}.checkpoint.parquet", second).second_checkpoints == ()


@pytest.mark.parametrize(
    ("schema", "lacks_actions"),
    [
        ({"fields": [{"name": "metaData"}, {"name": "protocol"}, {"name": "add"}]}, False),
        ({"fields": [{"name": "metaData"}, {"name": "add"}]}, True),
        ({"fields": []}, True),
        ("x", False),
        (None, False),
    ],
)
def test_the_schema_of_a_checkpoint_in_a_hint(schema, lacks_actions):
    content = json.dumps({"version": 2, "checkpointSchema": schema}).encode()

    assert CheckpointHint.of(content) == CheckpointHint(2, lacks_actions=lacks_actions)

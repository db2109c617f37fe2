"""Lines of a commit: actions, damage, and what only Spark can judge; and Hadoop's checksums of files."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.logs.files import (
    CutOffError,
    UncertainError,
    actions_in,
    agrees_with_hadoop,
    hadoop_checksum_name,
)
from support.hand_made_logs.writing import checksum_of

UNCERTAIN = {
    "text behind": b'{"txn":{}} text',
    "object behind": b"{} {}",
    "byte order mark": b'\xef\xbb\xbf{"txn":{}}',
    "form feed": b'\x0c{"txn":{}}',
    "NaN": b'{"commitInfo":{"a":NaN}}',
    "bytes that are no UTF-8": b'{"commitInfo":{"a":"\xff"}}',
    "control character": b'{"commitInfo":{"a":"\x01"}}',
    "list": b"[{}]",
    "value of another kind": b'{"commitInfo":{"timestamp":"x"}}',
}
CUT = {
    "half": b'{"txn":{',
    "empty list": b"[]",
    "text": b"x",
    "deep": b"[" * 200_000,
    "number": b"5",
    "no JSON": b"'x'",
}


def test_actions():
    assert actions_in(b'{"a": 1}\r\n\n \t\n{"b": 2}') == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("line", UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_spark_may_read(line):
    with pytest.raises(UncertainError, match="in line 2 of 2"):
        actions_in(b"{}\n" + line)


@pytest.mark.parametrize("line", CUT.values(), ids=CUT)
def test_what_no_reader_reads(line):
    with pytest.raises(CutOffError, match="is cut off or damaged in line 2 of 2") as raised:
        actions_in(b"{}\n" + line)

    assert type(raised.value) is CutOffError


@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_nothing(content):
    with pytest.raises(CutOffError, match="is empty"):
        actions_in(content)


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 5000])
def test_checksums_of_hadoop(size):
    content = bytes(number % 251 for number in range(size))
    right = checksum_of(content)

    assert agrees_with_hadoop(content, right)
    assert agrees_with_hadoop(content, checksum_of(content, 100))
    for wrong in (b"", right[:6], right + b"\0\0\0\0", b"CRC\0" + right[4:], right[:4] + bytes(4), checksum_of(b"x")):
        assert not agrees_with_hadoop(content, wrong), wrong


def test_hadoop_knows_this_form():
    """The checksum that Hadoop 3.5.0 has written for a file of the text ``abc``."""
    assert hadoop_checksum_name("0.json") == ".0.json.crc"
    assert agrees_with_hadoop(b"abc", bytes.fromhex("63726300 00000200 352441c2"))

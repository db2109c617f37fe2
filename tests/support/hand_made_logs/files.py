"""Logs with odd files: names, encodings of commits, and Hadoop's checksums of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.hand_made_logs.writing import METADATA, PROTOCOL, checksum_of, info, later, lines, log, put

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.hand_made_logs.writing import Write

GOOD = lines(info(0), {"protocol": PROTOCOL}, {"metaData": METADATA})
NEWER = lines(info(1), {"metaData": {**METADATA, "description": "newer"}})
NEWEST = f"{1:020d}.json"


def with_file(name: str, content: str | bytes = NEWER) -> Write:
    """Return a good log with one more file."""

    def write(folder: Path) -> None:
        put(log(folder, GOOD, later(1)), name, content)

    return write


def commits(*contents: str | bytes) -> Write:
    """Return a log of these commits."""
    return lambda folder: log(folder, *contents)


def _names() -> Iterator[tuple[str, Write]]:
    names = [f"{2:0{digits}d}.json" for digits in (1, 2, 5, 19, 20, 21, 25)]
    names += [
        f"{3:020d}.json",
        f"{10**6:020d}.json",
        f"{2**63:020d}.json",
        f"{10**20 - 1}.json",
        "-1.json",
        f"{2:020d}.JSON",
        f"{2:020d}.json.tmp",
        f"{2:020d}.json.gz",
        f".{2:020d}.json",
        f"_{2:020d}.json",
        f"{2:020d}",
        f"{2:020d}.{'0' * 8}-0000-4000-8000-000000000000.json",
        f"{2:019d}x.json",
        f" {2:020d}.json",
        "x.json",
        "readme.txt",
        "\u0665.json",
        f"{1:020d}.checkpoint",
        f"{2:020d}.crc.json",
    ]
    for name in names:
        yield f"file {name}", with_file(name)
    yield "empty commit in the middle", commits(GOOD, "", later(2))
    yield "empty newest commit", commits(GOOD, later(1), "")
    yield "blank newest commit", commits(GOOD, later(1), " \n\n")
    yield "empty first commit", commits("", GOOD)
    yield "only an empty commit", commits("")
    yield "commit without metadata", commits(lines(info(0), {"protocol": PROTOCOL}), later(1))
    yield "commit without protocol", commits(lines(info(0), {"metaData": METADATA}), later(1))
    yield "no commits", log
    yield "one commit", commits(GOOD)

    def without_first(folder: Path) -> None:
        (log(folder, GOOD, later(1), later(2)) / f"{0:020d}.json").unlink()

    def without_second(folder: Path) -> None:
        (log(folder, GOOD, later(1), later(2)) / f"{1:020d}.json").unlink()

    def folder_of_commit(folder: Path) -> None:
        (log(folder, GOOD, later(1)) / f"{2:020d}.json").mkdir()

    yield "first commit missing", without_first
    yield "second commit missing", without_second
    yield "folder with the name of a commit", folder_of_commit


def _encodings() -> Iterator[tuple[str, Write]]:
    """Yield logs whose newest commit, with metadata, is encoded in another way."""
    text, data = NEWER, NEWER.encode()
    metadata = NEWER.splitlines()[1]
    encoded: dict[str, str | bytes] = {
        "plain": text,
        "without the last newline": text[:-1],
        "CRLF": text.replace("\n", "\r\n"),
        "CR": text.replace("\n", "\r"),
        "blank lines": "\n\n" + text.replace("\n", "\n\n \n"),
        "blanks around": "  " + text.replace("\n", " \t\n"),
        "byte order mark": b"\xef\xbb\xbf" + data,
        "byte order mark in the second line": text.replace('{"metaData"', '\ufeff{"metaData"'),
        "UTF-16": text.encode("utf-16"),
        "UTF-16 without mark": text.encode("utf-16-le"),
        "UTF-32": text.encode("utf-32"),
        "Latin-1": text.replace("newer", "\u00e9").encode("latin-1"),
        "UTF-8": text.replace("newer", "\u00e9"),
        "overlong UTF-8": data.replace(b"newer", b"\xc0\xae"),
        "surrogates in UTF-8": data.replace(b"newer", b"\xed\xa0\x80"),
        "escaped surrogate": data.replace(b"newer", b"\\ud800"),
        "escaped surrogate pair": data.replace(b"newer", b"\\ud83d\\ude00"),
        "cut UTF-8": data.replace(b"newer", b"\xe2\x82"),
        "form feed in front": text.replace('{"metaData"', '\f{"metaData"'),
        "form feed behind": text.replace("}\n", "}\f\n"),
        "form feed inside": text.replace("newer", "ne\fwer"),
        "vertical tab": text.replace('{"metaData"', '\v{"metaData"'),
        "line separator": text.replace("newer", "ne\u2028wer"),
        "next line": text.replace("newer", "ne\u0085wer"),
        "file separator": text.replace("newer", "ne\x1cwer"),
        "separator between actions": text.replace("}\n{", "}\x1c{"),
        "no-break space in front": text.replace('{"metaData"', '\u00a0{"metaData"'),
        "zero bytes behind": text + "\0\0\0",
        "zero byte inside": text.replace("newer", "ne\0wer"),
        "escaped zero": text.replace("newer", "ne\\u0000wer"),
        "text behind the object": text.replace("}\n", "} text\n"),
        "object behind the object": text.replace("\n", " {}\n"),
        "metadata behind the object": f'{{"txn":{{"appId":"x","version":1}}}} {metadata}\n',
        "comma behind the object": text.replace("}\n", "},\n"),
        "bracket behind the object": text.replace("}\n", "}]\n"),
        "brace behind the object": text.replace("}\n", "}}\n"),
        "list": f"[{metadata}]\n",
        "number": "5\n" + text,
        "text": '"x"\n' + text,
        "null": "null\n" + text,
        "true": "true\n" + text,
        "NaN": text.replace('"createdTime": ', '"other": NaN, "createdTime": '),
        "NaN in commitInfo": text.replace('"operation"', '"other": NaN, "operation"'),
        "infinity in commitInfo": text.replace('"operation"', '"other": -Infinity, "operation"'),
        "NaN of an unknown action": text + '{"other": NaN}\n',
        "comment": "// text\n" + text,
        "comment inside": text.replace('{"metaData"', '{/* text */"metaData"'),
        "hash": "# text\n" + text,
        "single quotes": text.replace('"', "'"),
        "bare name": text.replace('"metaData"', "metaData"),
        "comma at the end": text.replace("}}\n", "},}\n"),
        "object over two lines": text.replace('{"metaData": ', '{"metaData":\n'),
        "cut": text[:-10],
        "key twice": text.replace('"description"', '"description": "older", "description"'),
        "action twice": text.replace('{"metaData"', '{"metaData": {}, "metaData"'),
        "large number": text.replace('"createdTime": ', '"createdTime": 1e400, "other": '),
        "many digits": text.replace('"createdTime": ', f'"other": {"9" * 5000}, "createdTime": '),
        "many digits in commitInfo": text.replace('"operation"', f'"other": {"9" * 5000}, "operation"'),
        "many digits of an unknown action": text + f'{{"other": {"9" * 5000}}}\n',
        "leading zero": text.replace('"createdTime": ', '"createdTime": 01, "other": '),
        "plus": text.replace('"createdTime": ', '"createdTime": +1, "other": '),
        "deep": text + '{"other": ' + "[" * 5000 + "]" * 5000 + "}\n",
        "500 deep": text + '{"other": ' + "[" * 500 + "]" * 500 + "}\n",
        "control character": text.replace("newer", "ne\x01wer"),
        "tab in a text": text.replace("newer", "ne\twer"),
        "unknown escape": text.replace("newer", "ne\\xwer"),
        "long line": text + json_text(200_000),
        "upper case key": text.replace("metaData", "METADATA"),
    }
    for name, content in encoded.items():
        yield f"commit: {name}", commits(GOOD, content)


def json_text(length: int) -> str:
    """Return a line with an action that readers ignore."""
    return f'{{"other": "{"x" * length}"}}\n'


def _hadoop_checksums() -> Iterator[tuple[str, Write]]:
    newer = NEWER.encode()
    changed = newer.replace(b"newer", b"other")
    sums = {
        "right": checksum_of(newer),
        "of a changed commit": checksum_of(changed),
        "empty": b"",
        "without sums": checksum_of(newer)[:8],
        "cut": checksum_of(newer)[:-2],
        "too long": checksum_of(newer) + b"\0\0\0\0",
        "with another header": b"CRC\0" + checksum_of(newer)[4:],
        "noise": bytes(range(128, 256)),
        "with blocks of 100": checksum_of(newer, 100),
        "with blocks of 0": b"crc\0\0\0\0\0" + checksum_of(newer)[8:],
        "with negative blocks": b"crc\0\xff\xff\xff\xff" + checksum_of(newer)[8:],
        "with one wrong sum": checksum_of(newer)[:-1] + b"\0",
    }
    for name, content in sums.items():
        yield f"Hadoop's checksum {name}", _with_checksum(NEWEST, content)
    first = checksum_of(GOOD.encode().replace(b'"long"', b'"date"'))
    yield "Hadoop's checksum of a changed first commit", _with_checksum(f"{0:020d}.json", first)
    yield (
        "Hadoop's checksum of an empty commit",
        lambda folder: put(log(folder, GOOD, later(1), b""), f".{2:020d}.json.crc", checksum_of(b"x")),
    )
    yield "Hadoop's checksum without its commit", with_file(f".{2:020d}.json.crc", checksum_of(b"x"))


def _with_checksum(name: str, content: bytes) -> Write:
    return lambda folder: put(log(folder, GOOD, NEWER), f".{name}.crc", content)


CASES = dict((*_names(), *_encodings(), *_hadoop_checksums()))

"""Malformed answers of a server: each takes the genuine answer and writes something else to the wire."""

from __future__ import annotations

import gzip
import json
import time
from typing import TYPE_CHECKING, Any

from faults.bench import SECRET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

LOGIN = f"<!DOCTYPE html><html><body>Sign in<!-- {SECRET} --></body></html>"
DEEP = 200_000
HUGE = 80 * 2**20
DRIP_SECONDS = 0.1

Chunks: TypeAlias = "Iterable[bytes]"
Answer: TypeAlias = "Callable[[int, Any], Chunks]"


def reply(status: int, body: bytes | str, kind: str = "application/json", **headers: str) -> bytes:
    """Return a whole HTTP answer."""
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    lines = {"Content-Type": kind, "Content-Length": str(len(content)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Answer\r\n{head}\r\n".encode("latin-1") + content


def _always(
    status: int, body: bytes | str, kind: str = "application/json", **headers: str
) -> Callable[[int, Any], Any]:
    return lambda _status, _genuine: [reply(status, body, kind, **headers)]


def _changed(change: Callable[[Any], Any]) -> Callable[[int, Any], Any]:
    return lambda status, genuine: [reply(status, json.dumps(change(genuine)))]


def _text(change: Callable[[str], str | bytes]) -> Callable[[int, Any], Any]:
    return lambda status, genuine: [reply(status, change(json.dumps(genuine)))]


def _leaves(to: Any) -> Callable[[Any], Any]:
    """Put one value in the place of every text, number and truth value."""

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: change(part) for key, part in value.items()}
        return list(map(change, value)) if isinstance(value, list) else to

    return change


def _containers(value: Any) -> Any:
    """Make lists of objects and objects of lists, below the top."""
    if isinstance(value, dict):
        return {key: _swapped(part) for key, part in value.items()}
    return value


def _swapped(value: Any) -> Any:
    if isinstance(value, dict):
        return list(value)
    return {"0": value[0]} if isinstance(value, list) and value else 7


def _cut(status: int, genuine: Any) -> Chunks:
    whole = reply(status, json.dumps(genuine))
    return [whole[: len(whole) - max(1, len(json.dumps(genuine)) // 2)]]


def _dripping_body(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n".encode()
    while True:
        time.sleep(DRIP_SECONDS)
        yield b" "


def _dripping_headers(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\n".encode()
    number = 0
    while True:
        time.sleep(DRIP_SECONDS)
        number += 1
        yield f"X-Drip-{number}: 1\r\n".encode()


def _silence(_status: int, _genuine: Any) -> Chunks:
    while True:
        time.sleep(DRIP_SECONDS)
        yield b""


def _huge(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {HUGE}\r\n\r\n".encode()
    for _number in range(HUGE // 2**20):
        yield b" " * 2**20


def _endless_chunks(status: int, _: Any) -> Chunks:
    yield f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    while True:
        yield b"10000\r\n" + b" " * 0x10000 + b"\r\n"


def _redirect(status: int) -> Callable[[int, Any], Any]:
    return _always(status, LOGIN, "text/html", Location=f"/login?back={SECRET}")


ANSWERS: dict[str, Callable[[int, Any], Any]] = {
    "200 without a body": _always(200, ""),
    "204": lambda _status, _genuine: [b"HTTP/1.1 204 No Content\r\n\r\n"],
    "200 with a login page": _always(200, LOGIN, "text/html"),
    "200 with a login page said to be JSON": _always(200, LOGIN),
    "302 to a login page": _redirect(302),
    "307 to a login page": _redirect(307),
    "304": lambda _status, _genuine: [b"HTTP/1.1 304 Not Modified\r\n\r\n"],
    "401 with the token": _always(401, json.dumps({"error_code": "UNAUTHENTICATED", "message": f"Bearer {SECRET}"})),
    "403 of a proxy": _always(403, LOGIN, "text/html"),
    "404 of a proxy": _always(404, LOGIN, "text/html"),
    "404 without a body": _always(404, ""),
    "409 without a body": _always(409, ""),
    "429": _always(429, "", Retry_After="3600"),
    "500 with a stack": _always(500, f"Traceback: {SECRET}\n  at Server.java\n" * 50, "text/plain"),
    "500 with another error": _always(500, json.dumps({"error": ["a", {"b": SECRET}], "message": 5})),
    "503 of a proxy": _always(503, LOGIN, "text/html"),
    "an empty object": _always(200, "{}"),
    "an empty list": _always(200, "[]"),
    "a number": _always(200, "5"),
    "null": _always(200, "null"),
    "a text": _always(200, f'"{SECRET}"'),
    "a list with null": _always(200, "[null]"),
    "tables that are texts": _always(200, json.dumps({"tables": ["a"], "next_page_token": 5})),
    "every value null": _changed(_leaves(None)),
    "every value a number": _changed(_leaves(7)),
    "every value a list": _changed(_leaves([SECRET])),
    "every value an object": _changed(_leaves({"a": 1})),
    "objects for lists": _changed(_containers),
    "every value hostile": _changed(_leaves("\x1b[31m\n\r\u202e'`--;${x}")),
    "half of the answer": _text(lambda text: text[: len(text) // 2]),
    "cut off on the wire": _cut,
    "NaN and Infinity": _always(200, '{"tables": NaN, "metadata": Infinity, "name": -Infinity}'),
    "every key twice": _text(lambda text: text[:-1] + "," + text[1:].replace('": ', '": null, "x": ', 1)),
    "nested deep": _always(200, '{"a":' * DEEP + "1" + "}" * DEEP),
    "lists nested deep": _always(200, "[" * DEEP + "]" * DEEP),
    "a number of many digits": _always(200, '{"metadata": ' + "9" * 50_000 + "}"),
    "no UTF-8": _text(lambda text: text.encode("utf-16")),
    "a lone surrogate": _always(200, '{"name": "\\ud800", "message": "\\ud800"}'),
    "another content type": _text(lambda text: f")]}}'\n{text}"),
    "said to be compressed": lambda status, genuine: [
        reply(status, json.dumps(genuine), "application/json", Content_Encoding="gzip")
    ],
    "a compressed bomb": lambda status, _genuine: [
        reply(status, gzip.compress(b" " * HUGE), "application/json", Content_Encoding="gzip")
    ],
    "no HTTP": lambda _status, _genuine: [b"SSH-2.0-OpenSSH_9.6\r\n"],
    "a header without an end": lambda _status, _genuine: [b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000],
    "the connection closed": lambda _status, _genuine: [],
    "a dripping body": _dripping_body,
    "dripping headers": _dripping_headers,
    "silence": _silence,
    "a huge body": _huge,
    "endless chunks": _endless_chunks,
    "the page before it again": lambda status, genuine: [
        reply(status, json.dumps({**genuine, "next_page_token": "again"} if isinstance(genuine, dict) else genuine))
    ],
}
"""At least forty, by name."""

"""A metadata sync of a thousand catalog entries, against the same requests by as many threads of a plain client."""

from __future__ import annotations

import json
import queue
import tempfile
import threading
import time
from collections import defaultdict
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from measure import ROUNDS, Row
from subjects import models
from unity import lake_of, server_over, write_project

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, FEWER = 1000, 250
THREADS = 8


class Call(NamedTuple):
    """One call of a sync."""

    method: str
    target: str
    body: Any


class Synced(NamedTuple):
    """A sync: its seconds, and its calls by the path of their table; those of a listing have none."""

    seconds: float
    calls: dict[str, list[Call]]


def run() -> Iterator[Row]:
    """Yield the seconds of a sync against those of a plain client, and how its calls grow with the entries."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few"), Path(folder, "many")
        for project, number in ((few, FEWER), (many, TABLES)):
            write_project(project, number)
        pairs = []
        for _ in range(ROUNDS):
            synced = _sync(many, TABLES)
            pairs.append((synced.seconds, _replay(many, synced.calls)))
        fewer = _sync(few, FEWER)
        yield Row(
            name=f"a metadata sync of {TABLES:,} entries, {THREADS} threads",
            reference_name="the same requests by a plain client",
            pairs=pairs,
            limit=3.0,
        )
        yield Row(
            name="calls of an entry in it",
            reference_name="those among fewer entries",
            pairs=[(_number(synced) / TABLES, _number(fewer) / FEWER)],
            limit=1.2,
            unit="calls",
        )


def _number(synced: Synced) -> int:
    return sum(map(len, synced.calls.values()))


def _sync(project: Path, number: int) -> Synced:
    """Synchronise all entries of a new server."""
    from pytest_delta_schema import UnityCatalog  # noqa: PLC0415 - only here
    from pytest_delta_schema.backends.unity import UnityClient  # noqa: PLC0415 - as above

    with server_over(lake_of(project), "bare") as server:
        assert server.stdout is not None
        client = UnityClient(server.stdout.readline().strip())
        calls: dict[str, list[Call]] = defaultdict(list)
        transport = client._calls._transport
        send = transport.send

        def noted(method: str, target: str, deadline: Any, body: bytes | None) -> Any:
            path, _, query = target.partition("?")
            table = "" if query else path.rpartition("/")[2].rpartition(".")[2]
            calls[table].append(Call(method, target, None if body is None else json.loads(body)))
            return send(method, target, deadline, body)

        transport.send = noted  # type: ignore[assignment, method-assign]
        start = time.perf_counter()
        done = UnityCatalog(client, read_threads=THREADS).sync_entries(models(number))
        took = time.perf_counter() - start
        client.close()
        server.communicate()
    assert len(done) == number
    assert all(result.differences for result in done)
    return Synced(took, calls)


def _replay(project: Path, calls: dict[str, list[Call]]) -> float:
    """Send the calls of a sync to a new server, those of one table in their order, and return the seconds."""
    waiting: queue.SimpleQueue[list[Call]] = queue.SimpleQueue()
    with server_over(lake_of(project), "bare") as server:
        assert server.stdout is not None
        address = urlsplit(server.stdout.readline().strip()).netloc
        start = time.perf_counter()
        for call in calls[""]:
            _send(HTTPConnection(address), call)
        for table, sent in calls.items():
            if table:
                waiting.put(sent)
        threads = [threading.Thread(target=_work, args=(address, waiting)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - start
        server.communicate()
    return took


def _work(address: str, waiting: queue.SimpleQueue[list[Call]]) -> None:
    connection = HTTPConnection(address)
    while True:
        try:
            calls = waiting.get_nowait()
        except queue.Empty:
            return
        metadata: dict[str, Any] = {}
        for call in calls:
            body = call.body
            if body is not None:
                requirements = [
                    {"type": "assert-table-uuid", "uuid": metadata["table-uuid"]},
                    {"type": "assert-etag", "etag": metadata["etag"]},
                ]
                body = {**body, "requirements": requirements}
            metadata = _send(connection, Call(call.method, call.target, body)).get("metadata", metadata)


def _send(connection: HTTPConnection, call: Call) -> dict[str, Any]:
    content = None if call.body is None else json.dumps(call.body)
    connection.request(call.method, call.target, content, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    decoded: dict[str, Any] = json.loads(body)
    return decoded

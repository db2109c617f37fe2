"""Servers that drip, never end, or send too much: a call ends with its time, and reads no more than it has to."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from pytest_delta_schema import QualifiedName, UnityCatalog
from pytest_delta_schema.backends.unity import UnityClient, transport
from pytest_delta_schema.backends.unity import connection as client_module
from pytest_delta_schema.backends.unity.connection import ServerError
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from support.catalogs import answers, head, hostile
from support.models import NAME
from support.unity import MODEL, own_port

SECONDS = 0.4
"""The limit of a call; servers would go on for minutes."""

ENOUGH = 10
"""Seconds after which a call has not kept its limit, however busy the machine is."""

MUCH = 1024 * 1024


def silent(server, _, connection):
    server.drip(connection, b"", 5)
    connection.recv(1)


def dripping_status(server, _, connection):
    server.drip(connection, b"H")


def dripping_headers(server, _, connection):
    server.send(connection, b"HTTP/1.1 200 OK\r\n")
    server.drip(connection, b"X: y\r\n")


def endless_interim_answers(server, _, connection):
    while True:
        server.send(connection, head(status="103 Early Hints"))


def dripping_body(server, _, connection):
    server.send(connection, head(MUCH))
    server.drip(connection, b" ")


def dripping_chunks(server, _, connection):
    server.send(connection, head(**{"Transfer-Encoding": "chunked"}))
    server.drip(connection, b"1\r\n \r\n", 0.01)


def deaf(server, _, connection):
    """Read no more of the request, and answer nothing."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    silent(server, _, connection)


SLOW = [silent, dripping_status, dripping_headers, endless_interim_answers, dripping_body, dripping_chunks]


@pytest.mark.parametrize("play", SLOW)
def test_a_read_ends_with_its_time_and_is_not_tried_again(play):
    with hostile(play) as server:
        client = UnityClient(server.uri, timeout=SECONDS)
        start = time.monotonic()

        problem = str(UnityCatalog(client).snapshot([MODEL]).problems[NAME])
        took = time.monotonic() - start

        client.close()
        assert problem == (
            f"dev.silver.orders: the server at {server.uri} did not answer within 0.4 s; check that it is running"
            " [DS501 UnreachableCatalog]"
        )
        assert SECONDS <= took < ENOUGH
        assert len(server.heads) <= 1


@pytest.mark.parametrize("play", [*SLOW, deaf])
def test_a_write_ends_with_its_time(play):
    with hostile(play) as server:
        client = UnityClient(server.uri, timeout=SECONDS)
        start = time.monotonic()

        with pytest.raises(ServerError, match=r"did not answer POST .* within 0.4 s; check that it is running$"):
            client.update_table(NAME, {"text": "x" * 8 * MUCH})
        took = time.monotonic() - start

        client.close()
        assert SECONDS <= took < ENOUGH


def test_tries_and_their_pauses_share_one_time():
    def refuse(server, _, connection):
        time.sleep(1.6)
        answers({"error_code": "X", "message": "later"}, "503 Busy")(server, _, connection)

    with hostile(refuse) as server:
        client = UnityClient(server.uri, timeout=3)
        start = time.monotonic()

        with pytest.raises(ServerError, match="503 X: later"):
            client.catalog("dev")
        took = time.monotonic() - start

        client.close()
        assert took < ENOUGH
        assert len(server.heads) == 2


@pytest.mark.parametrize("length", [400 * MUCH, None], ids=["announced", "not announced"])
def test_a_body_that_is_too_large_is_read_once_and_not_to_its_end(monkeypatch, length):
    monkeypatch.setattr(transport, "LARGEST_BODY", 2 * MUCH)

    def flood(server, _, connection):
        server.send(connection, head(length))
        for _ in range(400):
            server.send(connection, b" " * MUCH)

    with hostile(flood) as server:
        client = UnityClient(server.uri, timeout=60)

        problem = str(UnityCatalog(client).snapshot([MODEL]).problems[NAME])

        client.close()
        assert problem == (
            f"dev.silver.orders: GET /tables/dev.silver.orders on {server.uri}: the answer is larger than 2 MiB; see what"
            " answers at that address [DS502 UnreadableTable]"
        )
        assert len(server.heads) == 1
        assert server.sent < 40 * MUCH


def test_the_largest_body_and_the_number_of_pages():
    assert transport.LARGEST_BODY == 64 * MUCH
    assert client_module._PAGES == 10_000


def pages(following):
    """Answer each page with none of the tables, and the token of another one."""

    def play(server, request, connection):
        number = len(server.heads)
        answers({"tables": [], "next_page_token": following(number)})(server, request, connection)

    return play


LISTINGS = {
    "the same page": (lambda _: "x", "it names a page again that was read before", 2),
    "a ring of pages": (lambda number: str(number % 3), "it names a page again that was read before", 4),
    "no end": (str, "there are more than 50 pages", 50),
}


@pytest.mark.parametrize(("following", "reason", "calls"), LISTINGS.values(), ids=LISTINGS)
def test_pages_without_an_end(monkeypatch, following, reason, calls):
    monkeypatch.setattr(client_module, "_PAGES", 50)
    with hostile(pages(following)) as server:
        client = UnityClient(server.uri, timeout=60)

        with pytest.raises(ServerError) as caught:
            list(client.tables("dev", "silver"))

        client.close()
        assert str(caught.value) == (
            f"GET /tables on {server.uri}: 200, and the answer does not come from Unity Catalog ({reason}); see what answers at"
            " that address"
        )
        assert len(server.heads) == calls


def test_each_page_has_a_time_of_its_own():
    def page(server, request, connection):
        time.sleep(0.5)
        number = len(server.heads)
        answers({"tables": [], "next_page_token": str(number) if number < 4 else None})(server, request, connection)

    with hostile(page) as server:
        client = UnityClient(server.uri, timeout=1.5)

        assert list(client.tables("dev", "silver")) == []

        client.close()
        assert len(server.heads) == 4


GARBAGE = {
    "hangs up at once": (b"", "Server disconnected without sending a response."),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "illegal status line"),
    "cut off": (head(100) + b"{", "peer closed connection without sending complete message body"),
}


@pytest.mark.parametrize(("data", "reason"), GARBAGE.values(), ids=GARBAGE)
def test_answers_that_break_off_are_of_one_table(data, reason):
    def play(server, request, connection):
        if "/tables/dev.silver.orders" in request:
            server.send(connection, data)
            connection.shutdown(socket.SHUT_RDWR)
        else:
            answers({"error_code": "TABLE_NOT_FOUND", "message": "x"}, "404 Not Found")(server, request, connection)

    with hostile(play) as server:
        client = UnityClient(server.uri, timeout=60)

        with pytest.raises(ServerError) as caught:
            client.table(NAME)
        with pytest.raises(ServerError) as other:
            client.table(QualifiedName("dev", "silver", "other"))

        client.close()
        start = f"the server at {server.uri} broke off its answer to GET /tables/dev.silver.orders ({reason}"
        assert str(caught.value).startswith(start)
        assert str(caught.value).endswith("); check the proxies between")
        assert other.value.is_not_found


def test_the_first_address_that_answers_is_used(monkeypatch):
    with hostile(answers({"name": "dev"})) as server:
        resolve = socket.getaddrinfo

        def both(host, *args, **options):
            hosts = ["127.0.0.2", "127.0.0.1"] if host == "unity.example" else [host]
            return [address for host in hosts for address in resolve(host, *args, **options)]

        monkeypatch.setattr(socket, "getaddrinfo", both)
        client = UnityClient(server.uri.replace("127.0.0.1", "unity.example"), timeout=60)

        assert client.catalog("dev") == {"name": "dev"}

        client.close()
        assert f"Host: unity.example:{server.uri.rpartition(':')[2]}" in server.heads[0]


def test_an_unknown_host(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    client = UnityClient("http://unity.invalid", timeout=60)

    with pytest.raises(ServerError, match=r"^the server at http://unity.invalid cannot be reached \(\[Errno -2\] Name"):
        client.catalog("dev")
    client.close()


def test_a_name_server_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(ENOUGH) or [])
    client = UnityClient("http://unity.example", timeout=SECONDS)
    start = time.monotonic()

    with pytest.raises(ServerError, match=r"did not answer GET /catalogs/dev within 0.4 s") as caught:
        client.catalog("dev")
    took = time.monotonic() - start

    client.close()
    assert caught.value.condition == "TIMEOUT"
    assert SECONDS <= took < ENOUGH


def test_calls_at_once_have_times_of_their_own():
    """A deadline is of a thread: one call that waits does not take the time of another."""

    def play(server, request, connection):
        if "slow" in request:
            silent(server, request, connection)
        answers({"name": "quick"})(server, request, connection)

    with hostile(play) as server:
        client = UnityClient(server.uri, timeout=2)
        failed = []

        def wait():
            try:
                client.catalog("slow")
            except ServerError as error:
                failed.append(error.condition)

        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(1)
        assert client.catalog("quick") == {"name": "quick"}
        thread.join()

        client.close()
        assert failed == ["TIMEOUT"]


class TestProxies:
    """The proxy of the environment is used, and its password is shown to nobody."""

    @pytest.fixture(autouse=True)
    def _environment(self, monkeypatch):
        for name in ("no_proxy", "all_proxy", "http_proxy", "https_proxy"):
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.upper(), raising=False)

    def test_a_call_goes_through_it_with_its_password(self, monkeypatch):
        with hostile(answers({"name": "dev"})) as proxy:
            monkeypatch.setenv("HTTP_PROXY", proxy.uri.replace("http://", "http://me:hunter2%21@"))
            client = UnityClient("http://unity.invalid/base", timeout=60)

            assert client.catalog("dev") == {"name": "dev"}

            client.close()
            assert "GET http://unity.invalid/base/api/2.1/unity-catalog/catalogs/dev HTTP/1.1" in proxy.heads[0]
            assert "Proxy-Authorization: Basic bWU6aHVudGVyMiE=" in proxy.heads[0]

    def test_hosts_can_be_left_out(self, monkeypatch):
        monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with hostile(answers({"name": "dev"})) as server:
            client = UnityClient(server.uri, timeout=60)

            assert client.catalog("dev") == {"name": "dev"}

            client.close()

    def test_one_that_is_not_there_is_named_without_its_password(self, monkeypatch):
        port = own_port()
        monkeypatch.setenv("HTTPS_PROXY", f"me:hunter2@127.0.0.1:{port}")
        client = UnityClient("https://unity.invalid", timeout=60)

        with pytest.raises(ServerError) as caught:
            client.catalog("dev")

        client.close()
        assert str(caught.value) == (
            f"the server at https://unity.invalid cannot be reached through the proxy http://***@127.0.0.1:{port} of the"
            " environment ([Errno 111] Connection refused); check that it is running, and the setting unity_uri"
        )

    @pytest.mark.parametrize(
        ("proxy", "text"),
        [
            (
                "ftp://me:hunter2@x",
                "the proxy ftp://***@x, which cannot be used; see HTTPS_PROXY and NO_PROXY",
            ),
            ("http://me:hunter2@x:y", "the proxy http://***@x:y, which cannot be used"),
            ("socks5://me:hunter2@x", "the proxy socks5://***@x, which needs socksio; pip install 'httpcore[socks]'"),
        ],
    )
    def test_one_that_cannot_be_used(self, monkeypatch, proxy, text):
        monkeypatch.setenv("ALL_PROXY", proxy)

        with pytest.raises(BackendUnavailableError) as caught:
            UnityClient("https://unity.invalid")

        assert str(caught.value).startswith(f"the environment names {text}")
        assert "hunter2" not in str(caught.value)

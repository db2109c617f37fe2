"""Servers that drip, never end, or send too much: a call ends with its time, and reads no more than it has to."""

from __future__ import annotations

import socket
import time
from contextlib import closing, contextmanager

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


def dripping_headers(server, _, connection):
    server.send(connection, b"HTTP/1.1 200 OK\r\n")
    server.drip(connection, b"X: y\r\n")


def endless_interim_answers(server, _, connection):
    while True:
        server.send(connection, head(status="103 Early Hints"))


def dripping_chunks(server, _, connection):
    server.send(connection, head(**{"Transfer-Encoding": "chunked"}))
    server.drip(connection, b"1\r\n \r\n", 0.01)


def deaf(server, _, connection):
    """Read no more of the request, and answer nothing."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    silent(server, _, connection)


SLOW = [silent, dripping_headers, endless_interim_answers, dripping_chunks]


@contextmanager
def playing(play, timeout=60.0, uri=None):
    """Start a hostile server, and open a client to it."""
    with hostile(play) as server, closing(UnityClient(uri or server.uri, timeout=timeout)) as client:
        yield server, client


@contextmanager
def in_time():
    """Expect a call to take its limit, and not much longer."""
    start = time.monotonic()
    yield
    assert SECONDS <= time.monotonic() - start < ENOUGH


@pytest.mark.parametrize("play", SLOW)
def test_a_read_ends_with_its_time_and_is_not_tried_again(play):
    with playing(play, SECONDS) as (server, client):
        with in_time():
            problem = str(UnityCatalog(client).snapshot([MODEL]).problems[NAME])

        assert problem == (
            f"dev.silver.orders: the server at {server.uri} did not answer within 0.4 s; check that it is running"
            " [DS501 UnreachableCatalog]"
        )
        assert len(server.heads) <= 1


@pytest.mark.parametrize("play", [silent, deaf])
def test_a_write_ends_with_its_time(play):
    with (
        playing(play, SECONDS) as (_, client),
        in_time(),
        pytest.raises(ServerError, match=r"did not answer POST .* within 0.4 s; check that it is running$"),
    ):
        client.update_table(NAME, {"text": "x" * 8 * MUCH})


def test_a_body_that_is_too_large_is_read_once_and_not_to_its_end(monkeypatch):
    assert transport.LARGEST_BODY == 64 * MUCH
    monkeypatch.setattr(transport, "LARGEST_BODY", 2 * MUCH)

    def flood(server, _, connection):
        server.send(connection, head())
        for _ in range(400):
            server.send(connection, b" " * MUCH)

    with playing(flood) as (server, client):
        assert str(UnityCatalog(client).snapshot([MODEL]).problems[NAME]) == (
            f"dev.silver.orders: GET /tables/dev.silver.orders on {server.uri}: the answer is larger than 2 MiB; see what"
            " answers at that address [DS502 UnreadableTable]"
        )
        assert len(server.heads) == 1
        assert server.sent < 40 * MUCH


def listing(following, seconds=0.0):
    """Answer each page with none of the tables, and the token of another one."""

    def play(server, request, connection):
        time.sleep(seconds)
        answers({"tables": [], "next_page_token": following(len(server.heads))})(server, request, connection)

    return play


@pytest.mark.parametrize(
    ("following", "reason", "calls"),
    [
        (lambda number: str(number % 3), "it names a page again that was read before", 4),
        (str, "there are more than 50 pages", 50),
    ],
    ids=["a ring of pages", "no end"],
)
def test_pages_without_an_end(monkeypatch, following, reason, calls):
    assert client_module._PAGES == 10_000
    monkeypatch.setattr(client_module, "_PAGES", 50)
    with playing(listing(following)) as (server, client):
        with pytest.raises(ServerError) as caught:
            list(client.tables("dev", "silver"))

        assert str(caught.value) == (
            f"GET /tables on {server.uri}: 200, and the answer does not come from Unity Catalog ({reason}); see what answers at"
            " that address"
        )
        assert len(server.heads) == calls


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "Server disconnected without sending a response."),
        (head(100) + b"{", "peer closed connection without sending complete message body"),
    ],
    ids=["hangs up at once", "cut off"],
)
def test_answers_that_break_off_are_of_one_table(data, reason):
    def play(server, request, connection):
        if "/tables/dev.silver.orders" in request:
            server.send(connection, data)
            connection.shutdown(socket.SHUT_RDWR)
        else:
            answers({"error_code": "TABLE_NOT_FOUND", "message": "x"}, "404 Not Found")(server, request, connection)

    with playing(play) as (server, client):
        with pytest.raises(ServerError) as caught:
            client.table(NAME)
        with pytest.raises(ServerError) as other:
            client.table(QualifiedName("dev", "silver", "other"))

        start = f"the server at {server.uri} broke off its answer to GET /tables/dev.silver.orders ({reason}"
        assert str(caught.value).startswith(start)
        assert str(caught.value).endswith("); check the proxies between")
        assert other.value.is_not_found


def test_the_first_address_that_answers_is_used(monkeypatch):
    resolve = socket.getaddrinfo

    def both(host, *args, **options):
        hosts = ["127.0.0.2", "127.0.0.1"] if host == "unity.example" else [host]
        return [address for host in hosts for address in resolve(host, *args, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with hostile(answers({"name": "dev"})) as server:
        uri = server.uri.replace("127.0.0.1", "unity.example")
        with closing(UnityClient(uri, timeout=60)) as client:
            assert client.catalog("dev") == {"name": "dev"}
        assert f"Host: {uri.removeprefix('http://')}" in server.heads[0]


def test_name_servers_that_do_not_know_or_do_not_answer(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with (
        closing(UnityClient("http://unity.invalid", timeout=60)) as client,
        pytest.raises(ServerError, match=r"^the server at http://unity.invalid cannot be reached \(\[Errno -2\] Name"),
    ):
        client.catalog("dev")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(ENOUGH) or [])
    with (
        closing(UnityClient("http://unity.example", timeout=SECONDS)) as client,
        in_time(),
        pytest.raises(ServerError, match=r"did not answer GET /catalogs/dev within 0.4 s") as caught,
    ):
        client.catalog("dev")
    assert caught.value.condition == "TIMEOUT"


@pytest.fixture
def environment(monkeypatch):
    """Set a variable of proxies, of which no other one is set."""
    for name in ("no_proxy", "all_proxy", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch.setenv


def test_a_call_goes_through_the_proxy_of_the_environment_with_its_password(environment):
    with hostile(answers({"name": "dev"})) as proxy:
        environment("HTTP_PROXY", proxy.uri.replace("http://", "http://me:hunter2%21@"))
        with closing(UnityClient("http://unity.invalid/base", timeout=60)) as client:
            assert client.catalog("dev") == {"name": "dev"}

        assert "GET http://unity.invalid/base/api/2.1/unity-catalog/catalogs/dev HTTP/1.1" in proxy.heads[0]
        assert "Proxy-Authorization: Basic bWU6aHVudGVyMiE=" in proxy.heads[0]


def test_a_proxy_that_is_not_there_or_cannot_be_used_is_named_without_its_password(environment):
    port = own_port()
    environment("HTTPS_PROXY", f"me:hunter2@127.0.0.1:{port}")
    with closing(UnityClient("https://unity.invalid", timeout=60)) as client:
        with pytest.raises(ServerError) as caught:
            client.catalog("dev")
        assert str(caught.value) == (
            f"the server at https://unity.invalid cannot be reached through the proxy http://***@127.0.0.1:{port} of the"
            " environment ([Errno 111] Connection refused); check that it is running, and the setting unity_uri"
        )
    for proxy, text in (
        ("ftp://me:hunter2@x", "the proxy ftp://***@x, which cannot be used; see HTTPS_PROXY and NO_PROXY"),
    ):
        environment("HTTPS_PROXY", proxy)
        with pytest.raises(BackendUnavailableError) as refused:
            UnityClient("https://unity.invalid")

        assert str(refused.value).startswith(f"the environment names {text}")
        assert "hunter2" not in str(refused.value)

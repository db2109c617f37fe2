"""How far a download is: true numbers from the resolver's log, its files, and the server's answers."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from pytest_delta_schema.backends.local.launch import download_progress, length_of

LOG = ":: resolving dependencies ::\n\tfound io.delta#delta-spark;4.4.0 in central\n\tfound org#b;1 in central\n"


class Repository(BaseHTTPRequestHandler):
    """Answers with the length of one file."""

    def do_HEAD(self):
        self.send_response(200 if self.path == "/m2/b-1.jar" else 404)
        self.send_header("Content-Length", "4000000")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repository)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/m2"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("log", "files", "shown"),
    [
        pytest.param(None, {}, "", id="not started"),
        pytest.param("WARNING: starting\n", {}, "", id="starting"),
        pytest.param(LOG, {}, "2 modules found so far", id="resolving"),
        pytest.param(
            LOG + "downloading {at}/b-1.jar ...\n",
            {"org/b/jars/b-1.jar.part": 1_500_000},
            "1.5 MB, file 1 of 2 (1.5 of 4.0 MB)",
            id="first",
        ),
        pytest.param(
            LOG + "downloading {at}/a-1.jar ...\n\t[SUCCESSFUL ] a (23ms)\ndownloading {at}/b-1.jar ...\n",
            {"org/a/jars/a-1.jar": 2_000_000, "org/b/jars/b-1.jar.part": 1_000_000},
            "3.0 MB, file 2 of 2 (1.0 of 4.0 MB)",
            id="second",
        ),
        pytest.param(
            LOG + "downloading {at}/unknown-1.jar ...\n",
            {"org/b/jars/unknown-1.jar.part": 1_000_000},
            "1.0 MB, file 1 of 2",
            id="no length",
        ),
        pytest.param(LOG + "downloading {at}/b-1.jar ...\n", {}, "0.0 MB, file 1 of 2", id="not begun"),
        pytest.param("downloading {at}/b-1.jar ...\n", {}, "0.0 MB, file 1 of 1", id="not counted"),
    ],
)
def test_the_numbers_are_those_of_the_files_and_of_the_server(tmp_path, address, log, files, shown):
    if log is not None:
        (tmp_path / "resolve.log").write_text(log.replace("{at}", address))
    for name, size in files.items():
        path = tmp_path / "cache" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x" * size)

    assert download_progress(tmp_path) == shown


@pytest.mark.parametrize("unusable", ["file:///etc/hostname", "http://127.0.0.1:1/x.jar", "http://[", "ftp://x/y.jar"])
def test_a_server_that_cannot_be_asked_gives_no_length(unusable):
    assert length_of(unusable) is None

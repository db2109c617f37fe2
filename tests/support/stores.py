"""Servers of stores on loopback, each in its own process: S3 by moto, and Azure's API by Azurite where it is installed."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import boto3

from support.unity import own_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KEYS = {"aws_access_key_id": "AKIAVENDED", "aws_secret_access_key": "vended-secret"}


@contextmanager
def s3_server() -> Iterator[str]:
    """Start an S3 server, and return its address."""
    # A separate process: deltalake keeps Python's lock while it lists files, and a thread here could never answer.
    port = own_port()
    with _started([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], port):
        yield f"http://127.0.0.1:{port}"


AZURITE = shutil.which("azurite-blob")
"""The command of Azurite, which `npm install --global azurite` installs."""


@contextmanager
def azure_server(folder: Path) -> Iterator[str]:
    """Start Azurite over an empty folder, and return its address."""
    port = own_port()
    options = ["--blobHost", "127.0.0.1", "--blobPort", str(port), "--skipApiVersionCheck", "--disableTelemetry"]
    with _started([str(AZURITE), "--location", str(folder), "--silent", *options], port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _started(command: list[str], port: int) -> Iterator[None]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(300):
                assert server.poll() is None, "the server ended by itself"
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                time.sleep(0.1)
            yield
        finally:
            server.terminate()


@contextmanager
def bucket(endpoint: str, name: str = "lake") -> Iterator[Callable[[Path, str], None]]:
    """Create a bucket, and return a function that uploads a folder under a prefix."""
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **KEYS)
    client.create_bucket(Bucket=name)

    def upload(folder: Path, prefix: str) -> None:
        for path in folder.rglob("*"):
            if path.is_file():
                client.upload_file(str(path), name, f"{prefix}/{path.relative_to(folder).as_posix()}")

    yield upload
    client.close()

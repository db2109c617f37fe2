"""The clients that read and write a table, as a project or a declaration lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.clients import KNOWN_CLIENTS, oldest_version
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import require_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.delta.clients import ClientVersion

_FORM = re.compile(
    r"(?P<name>[A-Za-z][\w-]*)\s*(?:(?P<operator>[<>=!~]+)\s*(?P<version>[^\s(]+))?\s*(?P<only_reads>\(read\))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client of a table."""

    name: str
    version: str = ""
    """The oldest version in use; ``""`` for a client without versions."""
    only_reads: bool = False
    """Whether it never writes the table."""

    @property
    def numbers(self) -> ClientVersion:
        """The oldest version in use, to be compared."""
        return oldest_version(self.version)

    def __str__(self) -> str:
        remark = " (read)" if self.only_reads and not KNOWN_CLIENTS[self.name].only_reads else ""
        return f"{self.name}{'>=' * bool(self.version)}{self.version}{remark}"


@lru_cache(maxsize=256)
def parse_client(text: str) -> Client:
    """Return the client that a text names: ``trino>=470``, ``athena``, or ``trino>=470 (read)`` if it only reads."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        msg = f"{text!r} names no client; write one such as 'trino>=470' or 'trino>=470 (read)'"
        raise DeclarationError(msg)
    name, operator, version = folded(match["name"]), match["operator"], match["version"]
    known = KNOWN_CLIENTS.get(name)
    if known is None:
        raise DeclarationError(_unknown(text, name))
    only_reads = known.only_reads or bool(match["only_reads"])
    if not known.has_versions:
        if version is not None:
            msg = f"{text!r} has a version, and {name} has none; write '{name}'"
            raise DeclarationError(msg)
        return Client(name=name, only_reads=only_reads)
    client = Client(name=name, version=version or "", only_reads=only_reads)
    try:
        is_version = client.numbers != ()
    except ValueError:
        is_version = False
    if operator == ">=" and is_version:
        return client
    example = client if is_version else known.example
    msg = f"{text!r} does not say the oldest version of {name} that is in use; write it as in '{example}'"
    raise DeclarationError(msg)


def client_faults(texts: Iterable[str]) -> list[str]:
    """Return a message for each text that names no client."""
    faults = []
    for text in texts:
        try:
            parse_client(text)
        except DeclarationError as error:
            faults.append(str(error))
    return faults


def require_clients(value: object, subject: str) -> tuple[str, ...]:
    """Return declared clients in one spelling; raise a ``DeclarationError`` with everything that names no client."""
    texts = require_names(value, f"{subject}clients")
    faults = client_faults(texts)
    if faults:
        msg = f"{subject}clients: {'; '.join(faults)}"
        raise DeclarationError(msg)
    return tuple(str(parse_client(text)) for text in texts)


def _unknown(text: str, name: str) -> str:
    meant = [client for client, known in KNOWN_CLIENTS.items() if name in known.synonyms]
    for near in meant or get_close_matches(name, KNOWN_CLIENTS, n=1):
        return f"{text!r}: there is no client {name}; did you mean {near}, as in '{KNOWN_CLIENTS[near].example}'?"
    return f"{text!r}: there is no client {name}; clients are {', '.join(KNOWN_CLIENTS)}"

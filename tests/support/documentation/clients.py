"""The tables of clients and table features, as the reference page shows them."""

from __future__ import annotations

from pytest_delta_schema.delta.clients import KNOWN_CLIENTS, cells_of_package
from pytest_delta_schema.delta.protocol import WRITER_FEATURES


def tables() -> str:
    """Return a section for each client, with one row for each feature of which something is known."""
    return "\n\n".join(_section(client) for client in KNOWN_CLIENTS)


def _section(client: str) -> str:
    known = KNOWN_CLIENTS[client]
    reader = " It only reads." if known.only_reads else ""
    head = f"## {client}\n\n{known.title}, written as `{known.example}`.{reader}"
    rows = [
        f"| `{feature}` | {'writers' if feature in WRITER_FEATURES else 'all'} | {cell.text} | {cell.source} |"
        for feature, cell in sorted(cells_of_package(client).items())
    ]
    if not rows:
        return f"{head} Nothing is known about its table features, so each is a note."
    return "\n".join([head, "", "| table feature | concerns | versions | source |", "| --- | --- | --- | --- |", *rows])

"""The port to catalogs that can try a stream over a change of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.write_check.streams.verdict import StreamKind, StreamVerdict


@runtime_checkable
class ProbesStreams(Protocol):
    """A catalog that can try a stream over a change of its table; the fixture ``delta_stream_probe`` uses it."""

    def probe_stream(
        self,
        old: Table,
        new: Table,
        kind: StreamKind = "plain",
        *,
        rows: Sequence[Mapping[str, Any]],
    ) -> StreamVerdict:
        """Start a stream on a scratch table, change the table, and find out whether the stream continues.

        No existing table is read or changed.

        Args:
            old: The table before the change.
            new: The same table after the change.
            kind: How the stream reads it: ``plain``, ``lagging``, ``starting-version``, ``tracked`` or ``change-feed``.
            rows: Three rows by column: two of the table before the change, and one of the table after it.

        Returns:
            What happened. The answer is ``not judged`` if the change itself is refused.

        Raises:
            DeclarationError: If an argument has no possible meaning.
            StatementError: If the table cannot be created, or a row cannot be written.
        """
        ...

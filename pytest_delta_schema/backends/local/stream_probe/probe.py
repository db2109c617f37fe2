"""Finds out what a stream does over a change by running one on a scratch table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local.stream_probe.stream_stage import StreamStage
from pytest_delta_schema.diagnostics.errors import DeclarationError, DeltaSchemaError, first_line
from pytest_delta_schema.write_check.streams.pair import not_judged, require_models, stream_pair, without_feed
from pytest_delta_schema.write_check.streams.verdict import require_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.backends.local.session.catalog_session import CatalogSession
    from pytest_delta_schema.execute.protocols.catalog import ScratchCatalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.write_check.streams.verdict import StreamKind, StreamVerdict

_ROWS = 3


def stream_over_change(  # noqa: PLR0913 - the catalog, and what is tried in it
    session: CatalogSession,
    catalog: ScratchCatalog,
    *,
    old: Table,
    new: Table,
    kind: StreamKind,
    rows: Sequence[Mapping[str, Any]],
) -> StreamVerdict:
    """Run a stream over a change in a catalog; for the arguments see :class:`ProbesStreams`."""
    require_kind(kind)
    require_models("probe_stream", old, new)
    before, after = stream_pair("probe_stream", old, new)
    if len(rows) != _ROWS:
        msg = f"probe_stream takes three rows, and was given {len(rows)}; give two of the old table and one of the new"
        raise DeclarationError(msg)
    verdict = without_feed(before, kind)
    if verdict is not None:
        return verdict
    with StreamStage(session, catalog, before, kind, rows) as stage:
        try:
            stage.change(after)
        except DeltaSchemaError as error:
            return not_judged(
                before, kind, "refused", f"the change is refused: {first_line(error)}", "change the model"
            )
        return stage.verdict()

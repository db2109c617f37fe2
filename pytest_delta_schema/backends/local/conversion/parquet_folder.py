"""Inspect files that a model converts: their format, their partitions, and whether their schemas can be merged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.progress import step
from pytest_delta_schema.state.conversion import NOTHING, PARQUET, SourceState
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.spark_types import canonical_fields
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.backends.local.session.bridge import Bridge
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnState


class FileInspector:
    """Inspects files; the schema of the same files is read only once."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._schemas: dict[tuple[str, tuple[str, ...]], tuple[tuple[ColumnState, ...], str]] = {}

    def folder(self, name: QualifiedName, path: str, *, schema_exists: bool, is_in_place: bool = False) -> TableState:
        """Return the state of the files in a folder, for a table that the catalog does not have."""
        kind, sign, files = self._bridge.list_files(path)
        columns, conflict = self._schema(path, files) if kind == PARQUET else ((), "")
        folders = _folders(files)
        partitioning = tuple(part.partition("=")[0] for part in folders[0]) if folders else ()
        partitioned = NameSet(partitioning)
        return TableState(
            name=name,
            schema_exists=schema_exists,
            columns=tuple(sorted(columns, key=lambda column: column.name in partitioned)),
            partitioning=partitioning,
            source=SourceState(
                kind, path, is_in_place=is_in_place, folders=folders, files=len(files), conflict=conflict, sign=sign
            ),
        )

    def table(self, name: QualifiedName, provider: str, path: str, schema: str, partitions: str) -> TableState:
        """Return the state of a table of another format."""
        kind, sign, files = self._bridge.list_files(path)
        is_parquet = provider.lower() == PARQUET and kind != NOTHING
        conflict = self._schema(path, files)[1] if is_parquet else ""
        shown = provider.lower() if kind != NOTHING or provider.lower() != PARQUET else NOTHING
        return TableState(
            name=name,
            columns=columns_of_schema(json.loads(schema)),
            partitioning=tuple(column.name for column in columns_of_schema(json.loads(partitions))),
            source=SourceState(
                shown,
                path,
                is_registered=True,
                folders=_folders(files),
                files=len(files),
                conflict=conflict,
                sign=sign,
            ),
        )

    def _schema(self, path: str, files: Sequence[str]) -> tuple[tuple[ColumnState, ...], str]:
        """Return the merged schema of files, or why their schemas cannot be merged."""
        known = self._schemas.get((path, tuple(files)))
        if known is None:
            with step(escaped(f"reading the schemas of {len(files):,} parquet files in {path}")):
                known = self._schemas[path, tuple(files)] = self._read(path, files)
        return known

    def _read(self, path: str, files: Sequence[str]) -> tuple[tuple[ColumnState, ...], str]:
        try:
            return canonical_fields(self._merged(path, files).fields), ""
        except StatementError as error:
            first = self._first_misfit(path, files)
            return (), f"{files[first]} does not fit those before it ({first_line(error)})"

    def _first_misfit(self, path: str, files: Sequence[str]) -> int:
        """Return the index of the first file whose schema cannot be merged with those before it, by bisection."""
        fits, breaks = 0, len(files)
        while breaks - fits > 1:
            middle = (fits + breaks) // 2
            try:
                self._merged(path, files[:middle])
                fits = middle
            except StatementError:
                breaks = middle
        return breaks - 1

    def _merged(self, path: str, files: Sequence[str]) -> Any:
        reader = self._bridge.spark.read.option("mergeSchema", "true").option("basePath", path)
        with translate_errors(self._bridge.with_logical_names):
            return reader.parquet(*(f"{path}/{file}" for file in files)).schema


def _folders(files: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted({tuple(file.split("/")[:-1]) for file in files}))

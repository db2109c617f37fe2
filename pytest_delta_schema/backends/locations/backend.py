"""The backend ``locations``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend
from pytest_delta_schema.backends.logs.stored import missing_deltalake
from pytest_delta_schema.backends.storage import needs_credentials
from pytest_delta_schema.delta.names import path_text
from pytest_delta_schema.diagnostics.redaction import redacted_uri
from pytest_delta_schema.settings.table import SECTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.backends.backend import BackendContext, BackendSettings
    from pytest_delta_schema.backends.locations.catalog import LocationsCatalog

_SHOWN = 3
"""How many locations the header of a report shows."""


def _open(context: BackendContext) -> LocationsCatalog:
    from pytest_delta_schema.backends.locations.catalog import LocationsCatalog
    from pytest_delta_schema.backends.storage import Storage

    values = context.settings.values
    return LocationsCatalog(
        {path_text(name): folder for name, folder in values["locations"]},
        stores=[Storage(**store) for store in values["storage"]],
        storage_options=dict(values["storage_options"]),
    )


def _faults(settings: BackendSettings) -> Iterator[str]:
    locations = settings.values["locations"]
    if not locations:
        yield (
            "the locations backend needs the folders of schemas; set"
            f' "dev.silver" = "s3://bucket/folder" in [{SECTION}.locations]'
        )
    if any(needs_credentials(folder) for _, folder in locations):
        missing = missing_deltalake("locations")
        if missing:
            yield missing


def _location(settings: BackendSettings) -> str:
    locations = settings.values["locations"]
    shown = [f"{path_text(name)} in {redacted_uri(folder)}" for name, folder in locations[:_SHOWN]]
    return ", ".join([*shown, *([f"{len(locations) - _SHOWN} more"] if len(locations) > _SHOWN else [])])


BACKEND = Backend(open=_open, faults=_faults, location=_location, only_reads=True)
"""Delta tables in folders that a setting names, which are only read."""

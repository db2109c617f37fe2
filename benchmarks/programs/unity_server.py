"""Serve a Unity Catalog whose entries are those of tables in folders, until the input of this process ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.logs.files import LocalFiles
from pytest_delta_schema.backends.logs.log import DeltaLog
from pytest_delta_schema.backends.unity.entries import entry_of, table_info
from pytest_delta_schema.testing.unity import UnityDouble

if TYPE_CHECKING:
    from pytest_delta_schema.backends.unity.answers import TableInfo


def main(lake: Path, *, bare: bool) -> None:
    """Print the address of the server; ``bare`` entries show nothing of their logs."""
    with UnityDouble() as double:
        double.metastore.create_catalog({"name": "dev"})
        double.metastore.create_schema({"name": "silver", "catalog_name": "dev"})
        for folder in sorted(lake.glob("dev/silver/*")):
            name = QualifiedName("dev", "silver", folder.name)
            info: TableInfo = {
                "catalog_name": "dev",
                "schema_name": "silver",
                "name": folder.name,
                "table_type": "EXTERNAL",
                "data_source_format": "DELTA",
                "storage_location": folder.as_uri(),
            }
            facts = DeltaLog(LocalFiles(str(folder))).facts()
            entry = table_info(entry_of(name, info), facts, 0)
            if bare:
                entry.update(columns=[], properties={}, comment=None)
            double.metastore.create_table(entry)
        print(double.uri, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]), bare="bare" in sys.argv)

"""Create the first of the small tables in a warehouse."""

from __future__ import annotations

import sys
from pathlib import Path

from small_tables import small_table

from pytest_delta_schema import LocalCatalog, Orchestrator, open_session


def main(warehouse: Path) -> None:
    """Start a session and create the table."""
    with open_session(warehouse) as session:
        Orchestrator.over(LocalCatalog(session.spark, warehouse=warehouse)).sync_tables([small_table(0)])


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""A separate process that applies a model for each line that it reads; see ``test_concurrent_applies``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pytest_delta_schema import LocalCatalog, Orchestrator
from pytest_delta_schema.backends.local import session_conf
from pytest_delta_schema.backends.local.start import catalog_conf, start_session
from support.rows import keyed


def main(folder: str) -> None:
    """Apply the table of each number of the standard input, and write what has run."""
    warehouse = Path(folder)
    conf = {**catalog_conf(("dev", "prod"), warehouse), **session_conf(warehouse)}
    with start_session(warehouse, conf, archive=False) as session:
        line = Orchestrator.over(LocalCatalog(session.spark, warehouse=warehouse))
        print("ready", flush=True)  # noqa: T201 - the parent reads it
        for number in sys.stdin:
            result = line.sync_tables([keyed(int(number))])
            kinds = [statement.kind.value for statement in result.statements]
            print(json.dumps(kinds), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main(sys.argv[1])

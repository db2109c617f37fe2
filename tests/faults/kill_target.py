"""A process that applies a model with its own JVM, and reports when a kind of statement begins and ends."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.scenarios import Line, moved
from pytest_delta_schema import DeltaSchemaError, LocalCatalog
from pytest_delta_schema.backends.local.start import start_session

if TYPE_CHECKING:
    from pytest_delta_schema.sql import Statement

SPEC = json.loads(sys.argv[1])


def tell(event: str, **values: Any) -> None:
    """Write one event as a JSON line; short enough that no part of it is written alone."""
    os.write(SPEC["pipe"], (json.dumps({"event": event, **values}) + "\n").encode())


class Signalling:
    """A catalog that reports when statements of one kind begin and end."""

    def __init__(self, catalog: Any) -> None:
        self._catalog = catalog

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def run(self, statement: Statement) -> None:
        """Run a statement."""
        is_told = statement.kind.value == SPEC["kind"]
        if is_told:
            tell("begin")
        started = time.monotonic()
        self._catalog.run(statement)
        if is_told:
            tell("end", seconds=time.monotonic() - started)


def main() -> None:
    """Run one scenario; see ``kills.py``."""
    warehouse = Path(SPEC["warehouse"])
    session = start_session(warehouse)
    gateway: Any = session.spark.sparkContext._gateway
    tell("ready", jvm=gateway.proc.pid)
    catalog = LocalCatalog(session.spark, warehouse=warehouse)
    while SPEC["wait"] and not Path(SPEC["wait"]).exists():
        time.sleep(0.005)
    try:
        Line(scenario=moved(*SPEC["scenario"]), catalog=catalog, ddl=Signalling(catalog)).apply()
    except DeltaSchemaError as error:
        tell("refused", error=type(error).__name__, text=str(error)[:3000])
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)[-8:]
        where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
        tell("broken", error=type(error).__name__, text=f"{error} (raised at {where})")
        raise
    else:
        tell("done")
    session.close()


if __name__ == "__main__":
    main()

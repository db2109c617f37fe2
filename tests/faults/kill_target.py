"""A process that applies a model with its own JVM, and reports when a kind of statement begins and ends."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.kill_targets import ScenarioCopy
from pytest_delta_schema import DeltaSchemaError, LocalCatalog
from pytest_delta_schema.backends.local.start import start_session

if TYPE_CHECKING:
    from pytest_delta_schema.sql import Statement


class Teller:
    """Writes events as JSON lines to a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def tell(self, event: str, **values: Any) -> None:
        """Write one event; short enough that no part of it is written alone."""
        os.write(self._descriptor, (json.dumps({"event": event, **values}) + "\n").encode())


class Signalling:
    """A catalog that reports when statements of one kind begin and end."""

    def __init__(self, catalog: Any, kind: str, teller: Teller) -> None:
        self._catalog, self._kind, self._teller = catalog, kind, teller

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def run(self, statement: Statement) -> None:
        """Run a statement."""
        if statement.kind.value != self._kind:
            self._catalog.run(statement)
            return
        self._teller.tell("begin")
        started = time.monotonic()
        self._catalog.run(statement)
        self._teller.tell("end", seconds=time.monotonic() - started)


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return (
        f"{error} (raised at {' < '.join(f'{Path(frame.filename).name}:{frame.lineno}' for frame in reversed(frames))})"
    )


def main(text: str) -> int:
    """Run one scenario; see ``kills.py``."""
    spec = json.loads(text)
    teller, warehouse = Teller(spec["pipe"]), Path(spec["warehouse"])
    session = start_session(warehouse)
    gateway: Any = session.spark.sparkContext._gateway
    process = gateway.proc
    teller.tell("ready", jvm=process.pid)
    catalog = LocalCatalog(session.spark, warehouse=warehouse)
    scenario_copy = ScenarioCopy(**spec["scenario_copy"])
    if "wait" in spec:
        while not Path(spec["wait"]).exists():
            time.sleep(0.005)
    try:
        scenario_copy.act(catalog, Signalling(catalog, spec["kind"], teller))
    except DeltaSchemaError as error:
        teller.tell("refused", error=type(error).__name__, text=str(error)[:3000])
    except BaseException as error:
        teller.tell("broken", error=type(error).__name__, text=_where(error))
        raise
    else:
        teller.tell("done")
    session.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

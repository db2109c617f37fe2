"""Run pytest, and print the parts of its time that stages of a gate on Unity Catalog take."""

from __future__ import annotations

import json
import sys
import time
from functools import wraps
from typing import Any

START = time.perf_counter()
took: dict[str, float] = {}


def watch(owner: Any, name: str, stage: str) -> None:
    """Add the time of each call of a method to a stage."""
    inner = getattr(owner, name)

    @wraps(inner)
    def timed(*args: Any, **kwargs: Any) -> Any:
        begun = time.perf_counter()
        try:
            return inner(*args, **kwargs)
        finally:
            took[stage] = took.get(stage, 0) + time.perf_counter() - begun

    setattr(owner, name, timed)


def main(options: list[str]) -> int:
    """Watch a run."""
    import pytest  # noqa: PLC0415 - imports are measured

    from pytest_delta_schema.backends.unity.reading import TableReader  # noqa: PLC0415 - as above
    from pytest_delta_schema.engine.gate import Gate  # noqa: PLC0415 - as above

    took["imports"] = time.perf_counter() - START
    watch(TableReader, "_listings", "entries")
    watch(TableReader, "read", "entries and logs")
    watch(Gate, "plan", "plans")
    watch(pytest.Session, "perform_collect", "collection")
    code = pytest.main(options)
    whole = time.perf_counter() - START
    print(json.dumps({stage: seconds / whole for stage, seconds in took.items()}))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Eight threads of a fresh process decode answers for the first time, all at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from faults.cases import Area, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from faults.bench import Bench

PROCESSES, THREADS = 300, 8
ROOT = Path(__file__).resolve().parents[2]


def _run(_: Bench) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    command = [sys.executable, "-m", "faults.first_reads"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    require(done.returncode == 0, f"the process ended with {done.returncode}: {done.stderr[-500:]}")
    require(done.stdout == "8 threads decoded\n", f"the process wrote {done.stdout!r}")


def _cases() -> dict[str, Callable[[Bench], None]]:
    return {f"{number:03d}": _run for number in range(PROCESSES)}


AREA = Area(name="first-reads", title="the first answers of a server, in several threads", cases=_cases, sample=1)


def _decode() -> None:
    from pytest_delta_schema.backends.unity import UnityClient  # noqa: PLC0415 - only in a process that decodes
    from pytest_delta_schema.backends.unity.answers import DeltaTable, TableInfo  # noqa: PLC0415 - as above
    from pytest_delta_schema.backends.unity.decoding import decoded_answer, entry_type  # noqa: PLC0415 - as above

    field = {"name": "id", "type": "long", "nullable": True, "metadata": {"x": 1}}
    struct = {"type": "struct", "fields": [field]}
    array = {"type": "array", "element-type": struct, "contains-null": True}
    columns = {"type": "struct", "fields": [{**field, "type": array}]}
    metadata = {"etag": "e", "table-uuid": "u", "columns": columns, "properties": {}}
    table = json.dumps({"metadata": metadata}).encode()
    name = {"name": "t", "catalog_name": "c", "schema_name": "s", "table_type": "EXTERNAL"}
    entry = json.dumps({**name, "columns": [{"name": "id", "type_json": json.dumps(field)}]}).encode()
    client = UnityClient("http://127.0.0.1:9")
    together = threading.Barrier(THREADS)
    done: list[bool] = []

    def read() -> None:
        together.wait()
        decoded_answer(DeltaTable, table)
        decoded_answer(TableInfo, entry)
        entry_type(json.dumps(field))
        done.append(True)

    threads = [threading.Thread(target=read) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()
    sys.stdout.write(f"{len(done)} threads decoded\n")


if __name__ == "__main__":
    _decode()

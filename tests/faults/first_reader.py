"""Decode the same answers in eight threads, as the first thing that a process does."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from pytest_delta_schema.backends.unity import UnityClient
    from pytest_delta_schema.backends.unity.answers import DeltaTable, TableInfo
    from pytest_delta_schema.backends.unity.decoding import decoded_answer, entry_type

    FIELD = {"name": "id", "type": "long", "nullable": True, "metadata": {"x": 1}}
    STRUCT = {"type": "struct", "fields": [FIELD]}
    ARRAY = {"type": "array", "element-type": STRUCT, "contains-null": True}
    COLUMNS = {"type": "struct", "fields": [{**FIELD, "type": ARRAY}]}
    METADATA = {"etag": "e", "table-uuid": "u", "columns": COLUMNS, "properties": {}}
    TABLE = json.dumps({"metadata": METADATA}).encode()
    NAME = {"name": "t", "catalog_name": "c", "schema_name": "s", "table_type": "EXTERNAL"}
    ENTRY = json.dumps({**NAME, "columns": [{"name": "id", "type_json": json.dumps(FIELD)}]}).encode()

    client = UnityClient("http://127.0.0.1:9")
    together = threading.Barrier(8)
    done: list[bool] = []

    def read() -> None:
        together.wait()
        decoded_answer(DeltaTable, TABLE)
        decoded_answer(TableInfo, ENTRY)
        entry_type(json.dumps(FIELD))
        done.append(True)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()
    sys.stdout.write(f"{len(done)} threads decoded\n")

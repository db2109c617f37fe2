"""List the logs of tables in a store, and read their files, by deltalake's store in as many threads as a gate has."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from deltalake.fs import DeltaStorageHandler
from pyarrow.fs import FileSelector, PyFileSystem

THREADS = 16


def main(endpoint: str, names: str, tables: str) -> None:
    """Read all of them, and print how many bytes they have."""
    options = {
        "aws_endpoint_url": endpoint,
        "aws_allow_http": "true",
        "aws_region": "us-east-1",
        "aws_virtual_hosted_style_request": "false",
    }
    store = PyFileSystem(DeltaStorageHandler("s3://lake", options))

    def read(number: int) -> int:
        folder = f"silver/table_{number}/_delta_log"
        found = [info.base_name for info in store.get_file_info(FileSelector(folder)) if info.is_file]
        size = 0
        for name in found:
            if name in json.loads(names):
                with store.open_input_file(f"{folder}/{name}") as file:
                    size += len(file.read())
        return size

    store.get_file_info(FileSelector("silver"))
    with ThreadPoolExecutor(THREADS) as pool:
        print(sum(pool.map(read, range(int(tables)))))


if __name__ == "__main__":
    main(*sys.argv[1:])

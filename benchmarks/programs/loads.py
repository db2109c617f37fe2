"""Run an empty test with the plugin and without it, in turn, and print the processor times of both."""

from __future__ import annotations

import gc
import json
import os
import sys

import pytest

OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
WITHOUT = ["-p", "no:pytest_delta_schema.plugin"]


def main(folder: str, count: int) -> None:
    """Fork the runs from this process, which has imported all but the plugin."""
    os.chdir(folder)
    del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
    assert pytest.main([*OPTIONS, *WITHOUT]) == 0
    assert "pytest_delta_schema" not in sys.modules
    gc.collect()
    gc.freeze()
    gc.disable()
    _seconds()
    pairs = [(_seconds(), _seconds(*WITHOUT)) for _ in range(count)]
    print()
    print(json.dumps(list(zip(*pairs, strict=True))))


def _seconds(*options: str) -> float:
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(pytest.main([*OPTIONS, *options]))
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

"""Run pytest, and print the status of this process, which has its peak of memory.

Not ``ru_maxrss``: on Linux a process inherits that of its parent, here of the benchmark, which is larger.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if __name__ == "__main__":
    code = pytest.main(sys.argv[1:])
    print(Path("/proc/self/status").read_text("utf-8"))
    sys.exit(code)

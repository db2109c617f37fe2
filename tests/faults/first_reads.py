"""Several threads of a fresh process decode answers for the first time, all at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from faults.bench import require
from faults.cases import Area, Case

if TYPE_CHECKING:
    from faults.bench import Bench

PROCESSES = 300
READER = Path(__file__).with_name("first_reader.py")
ROOT = READER.parent.parent.parent


def _cases(_: int) -> list[Case]:
    return [Case(area="first-reads", name=f"{number:03d}") for number in range(PROCESSES)]


def _run(_: Case, __: Bench) -> None:
    done = subprocess.run([sys.executable, READER], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    require(done.returncode == 0, f"the process ended with {done.returncode}: {done.stderr[-500:]}")
    require(done.stdout == "8 threads decoded\n", f"the process wrote {done.stdout!r}")


AREA = Area(
    name="first-reads",
    title="the first answers of a server, in several threads",
    cases=_cases,
    run=_run,
    sample=1,
)

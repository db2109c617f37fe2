"""``make bench``: measure every bound of ``docs/explanation/speed.md``; exit 1 if one is missed.

``python benchmarks planning writes`` measures some parts only.
"""

from __future__ import annotations

import sys

import contracts
import local
import planning
import preflight
import rewriting
import unity
import writes
from measure import ROUNDS

PARTS = {part.__name__: part for part in (planning, contracts, writes, local, preflight, rewriting, unity)}


def main(names: list[str]) -> int:
    """Measure the named parts, or all, print the table, and return 0 only if every bound holds."""
    print(f"python benchmarks {' '.join(names)}".rstrip() + f": the median of {ROUNDS}, measured / limit")
    print(f"{'what':<58} {'work':>12} {'reference':>12} {'measured':>9} / limit")
    missed = 0
    for name in names or PARTS:
        for ratio in PARTS[name].run():
            print(ratio, flush=True)
            missed += not ratio.holds
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

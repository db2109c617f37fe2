"""``make bench``: measure every bound of ``docs/explanation/speed.md``; exit 1 if one is missed."""

from __future__ import annotations

import sys

import contracts
import local
import planning
import preflight
import rewriting
import unity
import writes


def main() -> int:
    """Measure everything, print the table, and return 0 only if every bound holds."""
    print(f"{'what':<58} {'measured':>12} {'yardstick':>12} {'ratio':>8}  bound")
    missed = 0
    for part in (planning, contracts, writes, local, preflight, rewriting, unity):
        for ratio in part.run():
            print(ratio, flush=True)
            missed += not ratio.holds
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

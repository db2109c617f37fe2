"""``make bench``: measure every bound of ``docs/explanation/speed.md``; exit 1 if one is missed.

``python benchmarks planning writes`` measures some parts only; ``python benchmarks --write-docs`` measures all of them
and writes the table of the page.
"""

from __future__ import annotations

import sys

import contracts
import gate
import local
import page
import planning
import preflight
import reports
import rewriting
import rows
import unity
import writes
from measure import ROUNDS

PARTS = {
    part.__name__: part
    for part in (planning, contracts, reports, writes, rows, local, gate, preflight, rewriting, unity)
}
WRITE = "--write-docs"


def main(arguments: list[str]) -> int:
    """Measure the named parts, or all, print the table, and return 0 only if every bound holds."""
    unknown = [name for name in arguments if name not in PARTS and name != WRITE]
    if unknown or (WRITE in arguments and len(arguments) > 1):
        print(f"usage: python benchmarks [{WRITE} | PART ...]; parts are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    print(f"python benchmarks {' '.join(arguments)}".rstrip() + f": the median of {ROUNDS}, measured / limit")
    print(f"{'what':<70} {'work':>9} {'reference':>9} {'measured':>8} / limit")
    measured = []
    for name in [name for name in arguments if name in PARTS] or PARTS:
        for ratio in PARTS[name].run():
            print(ratio, flush=True)
            measured.append((name, ratio))
    if WRITE in arguments:
        page.write(measured)
    return 0 if all(ratio.holds for _, ratio in measured) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

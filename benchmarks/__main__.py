"""``make bench``: measure every limit of ``docs/explanation/speed.md``; exit 1 if one is missed.

``python benchmarks planning writes`` measures some parts only, and ``python benchmarks cluster`` the one that takes
minutes; ``python benchmarks --write-docs`` measures all of them, or the named ones, and writes the table of the page.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

import adoption
import cluster
import comparing
import contracts
import creating
import gate
import local
import logs
import page
import planning
import preflight
import reports
import rewriting
import rows
import stores
import streams
import syncing
import unity
import witnesses
import workspace
import writes
from measure import ROUNDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from measure import Row

_PARTS = (
    planning, contracts, comparing, reports, adoption, writes, streams, rows, local, logs, creating, gate, preflight,
    rewriting, unity, stores, syncing, workspace, witnesses,
)  # fmt: skip
PARTS: dict[str, Callable[[], Iterable[Row]]] = {part.__name__: part.run for part in _PARTS}
LONG = "cluster"
"""The part that takes minutes, and is measured only by its name or for the page."""


def main(arguments: list[str]) -> int:
    """Measure the named parts, or all but the long one, print the table, and return 0 only if every limit holds."""
    options = _options(arguments)
    print(f"python benchmarks {' '.join(arguments)}".rstrip() + f": the median of {ROUNDS}")
    print(f"{'what':<75} {'work':>11} {'reference':>11} {'ratio':>8} / limit")
    parts: dict[str, Callable[[], Iterable[Row]]] = {**PARTS, LONG: partial(cluster.run, options.rows)}
    measured = []
    for name in options.parts or (parts if options.write_docs else PARTS):
        for row in parts[name]():
            print(row, flush=True)
            measured.append((name, row))
    if options.write_docs:
        page.write(measured)
    return 0 if all(row.holds for _, row in measured) else 1


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python benchmarks", description="Measure the limits of the page on speed.")
    names = ", ".join([*PARTS, LONG])
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"{names}; by default all but {LONG}")
    parser.add_argument(
        "--write-docs", action="store_true", help="write the table of the page, after measuring all parts"
    )
    parser.add_argument("--rows", type=int, default=cluster.ROWS, help=f"of the part {LONG}, by default %(default)s")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.parts if name not in PARTS and name != LONG]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; parts are {names}")
    if options.rows < 1:
        parser.error(f"--rows {options.rows} is not a number of rows; give 1 or more")
    if options.write_docs and options.rows != cluster.ROWS:
        parser.error("--write-docs measures with all rows; leave --rows out")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

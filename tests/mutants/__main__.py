"""Change one operator, number or condition of the package at a time, and check that a test which runs the line fails.

``make test-mutants`` tries a sample of 200 changes, ``make test-mutants MUTANTS="--count 50 --seed 7"`` a different one. First
the tests that need no JVM run once, to record which test runs which line; then each mutant meets the tests of its line in
one of two copies of the checkout. The mutants that no test notices are printed. The exit code is 1 if one of them is not in
``equivalent.txt``, which lists those that do not change the behaviour, with the reason.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING

from mutants.checkouts import KILLED, NOT_JUDGED, ROOT, SURVIVED, copies, record_tests, tests_of, try_change
from mutants.mutations import change_of, mutants_in
from mutants.sample import equivalents, is_valid, shuffled

if TYPE_CHECKING:
    from pathlib import Path

    from mutants.sample import Change

PACKAGES = ("delta", "state", "plan", "rules", "engine", "execute", "test_kit")
COPIES = 2


def main(args: list[str]) -> int:
    """Try a sample of mutants, print those that survive, and return the exit code."""
    parser = argparse.ArgumentParser(prog="make test-mutants")
    parser.add_argument("--count", type=int, default=200, help="number of mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="number that decides the sample (default: %(default)s)")
    parser.add_argument("--only", default="", help="text that the path of a mutated file contains")
    options = parser.parse_args(args)
    started = time.monotonic()
    _say("recording which test runs which line: the tests that need no JVM, once")
    recorded = record_tests()
    mutants = [mutant for mutant in mutants_in(ROOT, PACKAGES) if options.only in mutant.path]
    changes = (change_of(ROOT, mutant) for mutant in shuffled(mutants, options.seed))
    sample = list(islice((change for change in changes if is_valid(change.code)), options.count))
    _say(f"trying {len(sample)} of {len(mutants)} mutants, seed {options.seed}")
    free: SimpleQueue[Path] = SimpleQueue()
    for folder in copies(COPIES):
        free.put(folder)

    def attempt(change: Change) -> str:
        folder = free.get()
        try:
            return try_change(folder, change, tests_of(recorded, change.path, change.line))
        finally:
            free.put(folder)

    results = []
    with ThreadPoolExecutor(COPIES) as pool:
        for number, (change, verdict) in enumerate(zip(sample, pool.map(attempt, sample), strict=True), 1):
            results.append((change, verdict))
            _say(f"{number:4} of {len(sample)}  {verdict:10}  {change.path}:{change.line}")
    _say("\nsurvivors")
    known, survivors = equivalents(), [change for change, verdict in results if verdict == SURVIVED]
    for change in survivors:
        reason = known.get(change.key, "(no reason known)")
        _say(f"{change.path}:{change.line}\n- {change.before}\n+ {change.after}\n{reason}\n")
    unexplained = sum(change.key not in known for change in survivors)
    counts = Counter(verdict for _, verdict in results)
    _say(", ".join(f"{counts[verdict]} {verdict}" for verdict in (KILLED, SURVIVED, NOT_JUDGED)))
    _say(f"{unexplained} survivors are not in equivalent.txt; {(time.monotonic() - started) / 60:.0f} minutes")
    return int(unexplained > 0)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

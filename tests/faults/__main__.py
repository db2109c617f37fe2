"""The fault-injection suite: ``make test-faults``, or ``python -m faults --only kills --case NAME --seed 1``.

It is not run by pytest: the cases of an area share a JVM in several threads, six where they wait for a server, and a run
continues where it was stopped, for which pytest has no option. The journal has one line of JSON for each finished case.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from faults import boundaries, disks, first_reads, kills, names, near_writers, races, servers, source_files, texts
from faults.bench import ROOT, Bench
from faults.cases import FAILED, SECRET, SECRET_VARIABLE, SKIPPED, SURVIVED, Outcome, run_case

if TYPE_CHECKING:
    from faults.cases import Area

AREAS = (
    boundaries.AREA,
    names.MEMORY_AREA,
    texts.AREA,
    servers.AREA,
    first_reads.AREA,
    source_files.AREA,
    near_writers.AREA,
    names.LOCAL_AREA,
    kills.AREA,
    races.AREA,
    disks.AREA,
)
"""All areas, in the order in which they are run."""

PROGRESS_SECONDS = 10


def main(args: list[str] | None = None) -> int:
    """Run what was asked for; return 0 only if everything that is planned was tried and survived."""
    options = _options(args)
    journal = ROOT / ".faults" / f"{_commit()}-{options.seed}.jsonl"
    journal.parent.mkdir(exist_ok=True)
    chosen = [area for area in AREAS if not options.only or area.name in options.only]
    plans = {area: [name for name in area.cases() if not options.case or name in options.case] for area in chosen}
    deadline = time.monotonic() + options.minutes * 60
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    os.environ[SECRET_VARIABLE] = SECRET
    bench = Bench(folder, options.seed)
    try:
        for area, cases in plans.items():
            _run_area(area, cases, bench, journal, deadline, options)
    except KeyboardInterrupt:
        _say("stopped; the same command goes on from here")
    finally:
        bench.close()
        shutil.rmtree(folder, ignore_errors=True)
    return _tell(plans, read_journal(journal), options.seed)


def _options(args: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="faults", description="Inject faults and check what is left behind.")
    parser.add_argument("--only", action="append", choices=[area.name for area in AREAS], help="an area; repeatable")
    parser.add_argument("--case", action="append", help="the name of one case; repeatable; runs it again if it has run")
    parser.add_argument("--seed", type=int, default=1, help="chooses delays, texts and orders; 1 by default")
    parser.add_argument("--minutes", type=float, default=60, help="no case is begun later; 60 by default")
    parser.add_argument("--retry", action="store_true", help="run failed and skipped cases again")
    return parser.parse_args(args)


def _commit() -> str:
    """Return the short hash of the checked-out commit, with ``-dirty`` if files differ from it."""
    command = ["git", "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() or "no-commit"


def read_journal(path: Path) -> dict[tuple[str, str], Outcome]:
    """Return the finished cases; a kill may have cut off the last line."""
    known = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        with suppress(ValueError):
            outcome = Outcome(*json.loads(line))
            known[outcome.area, outcome.case] = outcome
    return known


def _run_area(
    area: Area, cases: list[str], bench: Bench, journal: Path, deadline: float, options: argparse.Namespace
) -> None:
    ended = {SURVIVED} if options.retry else {SURVIVED, FAILED, SKIPPED}
    known = {} if options.case else read_journal(journal)
    todo = [name for name in cases if (area.name, name) not in known or known[area.name, name].status not in ended]
    done, failed, last_shown = len(cases) - len(todo), 0, time.monotonic()
    _say(f"{area.name}: {len(cases)} cases, {done} of them done before")

    def run(name: str) -> Outcome | None:
        return None if time.monotonic() > deadline else run_case(area, name, bench)

    with ThreadPoolExecutor(area.lanes) as pool, journal.open("a", encoding="utf-8") as file:
        try:
            for future in as_completed([pool.submit(run, name) for name in todo]):
                outcome = future.result()
                if outcome is None:
                    continue
                file.write(json.dumps(outcome) + "\n")
                file.flush()
                done += 1
                if outcome.status != SURVIVED:
                    failed += outcome.status == FAILED
                    _say(f"{area.name}: {outcome.status} {outcome.case}: {outcome.reason}")
                if time.monotonic() - last_shown > PROGRESS_SECONDS or done == len(cases):
                    last_shown = time.monotonic()
                    left = max(0, round((deadline - last_shown) / 60))
                    _say(f"{area.name}: {done} of {len(cases)} done, {failed} failed; {left} minutes left")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _tell(plans: dict[Area, list[str]], journal: dict[tuple[str, str], Outcome], seed: int) -> int:
    """Show what did not survive, how it is run again, and a table for the documentation."""
    rows = [("area", "tried", "survived"), ("---", "---:", "---:")]
    missing = broken = 0
    for area, cases in plans.items():
        known = [journal[area.name, name] for name in cases if (area.name, name) in journal]
        for outcome in known:
            if outcome.status != SURVIVED:
                broken += 1
                again = f"--only {area.name} --seed {seed} --case '{outcome.case}'"
                _say(f"{outcome.status}: {area.name} {outcome.case}: {outcome.reason}")
                _say(f"  again: PYTHONPATH=tests python -m faults {again}")
        missing += len(cases) - len(known)
        statuses = [outcome.status for outcome in known]
        rows.append((area.title, str(len(known) - statuses.count(SKIPPED)), str(statuses.count(SURVIVED))))
    _say("\n".join(f"| {' | '.join(row)} |" for row in rows))
    if missing:
        _say(f"{missing} cases were not run; the same command goes on from here")
    return int(bool(broken or missing))


def _say(text: str) -> None:
    shown = "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1] for character in text
    )
    sys.stdout.write(f"{shown}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""The fault-injection suite: ``make test-faults``, or ``python -m faults --only kills --case NAME --seed 1``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from faults.areas import AREAS
from faults.bench import SECRET, SECRET_VARIABLE, Bench
from faults.cases import FAILED, SURVIVED, Area, Case, Outcome, run_case
from faults.journal import Journal, commit, table, write_table

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "explanation" / "promises.md"
PROGRESS_SECONDS = 10


def main(args: list[str] | None = None) -> int:
    """Run what was asked for; return 0 only if everything that is planned was tried and survived."""
    options = _options(args)
    at = commit(ROOT)
    journal = Journal(ROOT / ".faults" / f"{at}-{options.seed}.jsonl")
    chosen = [area for area in AREAS if not options.only or area.name in options.only]
    plans = {area.name: [case for case in area.cases(options.seed) if _is_chosen(case, options)] for area in chosen}
    deadline = time.monotonic() + options.minutes * 60
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    os.environ[SECRET_VARIABLE] = SECRET
    bench = Bench(folder, options.seed)
    try:
        for area in chosen:
            _run_area(area, plans[area.name], bench, journal, deadline, options)
    except KeyboardInterrupt:
        _say("stopped; the same command goes on from here")
    finally:
        bench.close()
        shutil.rmtree(folder, ignore_errors=True)
    return _tell(chosen, plans, journal, at, options)


def _options(args: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="faults", description="Inject faults and check what is left behind.")
    parser.add_argument("--only", action="append", choices=[area.name for area in AREAS], help="an area; repeatable")
    parser.add_argument("--case", action="append", help="the name of one case; repeatable; runs it again if it has run")
    parser.add_argument("--seed", type=int, default=1, help="chooses delays, texts and orders; 1 by default")
    parser.add_argument("--minutes", type=float, default=60, help="no case is begun later; 60 by default")
    parser.add_argument("--retry", action="store_true", help="run failed and skipped cases again")
    parser.add_argument("--lanes", type=int, help="cases that run side by side; at most two by default")
    parser.add_argument(
        "--write-table",
        action="store_true",
        help="write the table into the documentation if every case survived",
    )
    return parser.parse_args(args)


def _is_chosen(case: Case, options: argparse.Namespace) -> bool:
    return not options.case or case.name in options.case


def _is_open(case: Case, journal: Journal, options: argparse.Namespace) -> bool:
    known = journal.outcome(case)
    return bool(options.case) or known is None or (options.retry and known.status != SURVIVED)


def _run_area(
    area: Area,
    cases: list[Case],
    bench: Bench,
    journal: Journal,
    deadline: float,
    options: argparse.Namespace,
) -> None:
    todo = [case for case in cases if _is_open(case, journal, options)]
    done, failed, last_shown = len(cases) - len(todo), 0, time.monotonic()
    _say(f"{area.name}: {len(cases)} cases, {done} of them done before")

    def run(case: Case) -> Outcome | None:
        return None if time.monotonic() > deadline else run_case(area, case, bench)

    with ThreadPoolExecutor(options.lanes or area.lanes) as pool:
        running = [pool.submit(run, case) for case in todo]
        try:
            for future in as_completed(running):
                outcome = future.result()
                if outcome is None:
                    continue
                journal.add(outcome)
                done += 1
                if outcome.status != SURVIVED:
                    failed += outcome.status == FAILED
                    _say(f"{area.name}: {outcome.status} {outcome.case.name}: {outcome.reason}")
                if time.monotonic() - last_shown > PROGRESS_SECONDS or done == len(cases):
                    last_shown = time.monotonic()
                    left = max(0, round((deadline - last_shown) / 60))
                    _say(f"{area.name}: {done} of {len(cases)} done, {failed} failed; {left} minutes left")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _tell(
    areas: list[Area],
    plans: dict[str, list[Case]],
    journal: Journal,
    at: str,
    options: argparse.Namespace,
) -> int:
    known = {
        name: [known_outcome for case in cases if (known_outcome := journal.outcome(case))]
        for name, cases in plans.items()
    }
    rows = table(areas, known)
    broken = [outcome for outcomes in known.values() for outcome in outcomes if outcome.status != SURVIVED]
    missing = sum(len(plans[name]) - len(known[name]) for name in plans)
    for outcome in broken:
        case = outcome.case
        _say(f"{outcome.status}: {case.area} {case.name}: {outcome.reason}")
        _say(
            f"  again: PYTHONPATH=tests python -m faults --only {case.area} --seed {options.seed} --case '{case.name}'",
        )
    _say(rows)
    if missing:
        _say(f"{missing} cases were not run; the same command goes on from here")
    if broken or missing:
        return 1
    if options.write_table and not options.only and not options.case:
        write_table(PAGE, rows, at, options.seed)
    return 0


def _say(text: str) -> None:
    shown = "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1] for character in text
    )
    sys.stdout.write(f"{shown}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

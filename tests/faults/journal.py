"""The journal of finished cases, from which a stopped run continues, and the table that is made from it."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from faults.cases import SKIPPED, SURVIVED, Case, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from faults.cases import Area

START, END = "<!-- faults: written by make test-faults -->", "<!-- faults: end -->"


class Journal:
    """Finished cases as JSON lines; safe to share between threads.

    Args:
        path: The file; read if it is there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._done: dict[tuple[str, str], Outcome] = {}
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                self._note(_parsed(line))

    def outcome(self, case: Case) -> Outcome | None:
        """Return how a case ended; ``None`` if it has not been run."""
        return self._done.get((case.area, case.name))

    def add(self, outcome: Outcome) -> None:
        """Append one outcome; what is written is on disk when this returns."""
        entry = {
            "area": outcome.case.area,
            "case": outcome.case.name,
            "status": outcome.status,
            "reason": outcome.reason,
            "seconds": round(outcome.seconds, 2),
        }
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
            self._note(outcome)

    def _note(self, outcome: Outcome | None) -> None:
        if outcome is not None:
            self._done[outcome.case.area, outcome.case.name] = outcome


def _parsed(line: str) -> Outcome | None:
    """Read one line; the last one may have been cut off by a kill."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    case = Case(area=entry["area"], name=entry["case"])
    return Outcome(case=case, status=entry["status"], reason=entry["reason"], seconds=entry["seconds"])


def commit(root: Path) -> str:
    """Return the short hash of the checked-out commit, with ``-dirty`` if files differ from it."""
    head = _git(root, "rev-parse", "--short=12", "HEAD") or "no-commit"
    return f"{head}-dirty" if _git(root, "status", "--porcelain", "--untracked-files=no") else head


def _git(root: Path, *args: str) -> str:
    answer = subprocess.run(["git", *args], cwd=root, capture_output=True, text=True, check=False)
    return answer.stdout.strip()


def table(areas: Iterable[Area], outcomes: Mapping[str, Iterable[Outcome]]) -> str:
    """Write the table: a line for each area, and their sum."""
    lines = ["| area | tried | survived |", "| --- | ---: | ---: |"]
    all_tried = all_survived = 0
    for area in areas:
        known = list(outcomes[area.name])
        tried = sum(outcome.status != SKIPPED for outcome in known)
        survived = sum(outcome.status == SURVIVED for outcome in known)
        skipped = len(known) - tried
        lines.append(f"| {area.title} | {tried}{f' ({skipped} skipped)' if skipped else ''} | {survived} |")
        all_tried, all_survived = all_tried + tried, all_survived + survived
    return "\n".join([*lines, f"| all | {all_tried} | {all_survived} |"])


def write_table(path: Path, rows: str, at: str, seed: int) -> None:
    """Replace the marked block of a page of the documentation.

    Args:
        path: The page.
        rows: The table, as :func:`table` returns it.
        at: The commit that was tested.
        seed: The seed that the cases were made with.

    Raises:
        ValueError: If the page has no such block.
    """
    today = datetime.now(tz=timezone.utc).date().isoformat()
    text = path.read_text("utf-8")
    block = f"{START}\n{rows}\n\nMeasured on {today} at commit {at}, seed {seed}.\n{END}"
    new, count = re.subn(f"{re.escape(START)}.*?{re.escape(END)}", lambda _: block, text, flags=re.DOTALL)
    if count != 1:
        msg = f"{path} has no block between {START} and {END}"
        raise ValueError(msg)
    path.write_text(new, "utf-8")

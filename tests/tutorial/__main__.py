"""Follow the tutorial as a new user on each supported pair, from ``pip install`` to the gate that fails.

``make test-tutorial`` runs every pair, and ``make test-tutorial PAIRS=spark35`` one of them. Each starts with an empty folder, a
new environment and an empty cache, so Delta's jars are downloaded. What was shown is in ``.tutorial``, one file a pair; the
results are recorded beside this file, and documented from there. After the pairs, the guides that install an extra of their
own are followed as far as their first gate; ``PAIRS=databricks`` chooses one.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.delta import PAIRS
from support.pages import DOCS, PageError
from tutorial.environment import variables, wheel
from tutorial.guides import GUIDES, installed
from tutorial.journey import Journey, follow
from tutorial.record import record, table
from tutorial.shell import Shell, ShellError
from versions.environments import ROOT

if TYPE_CHECKING:
    from pytest_delta_schema.delta import Pair
    from tutorial.journey import Command

PAGE = DOCS / "tutorial.md"
PROJECT = "shop-pipeline"
"""The folder that the page makes."""

TRANSCRIPTS = ROOT / ".tutorial"


def main(wanted: list[str]) -> int:
    """Follow the page on some pairs, and install what some guides say, or all; return the exit code."""
    known = [*(pair.extra for pair in PAIRS), *GUIDES]
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        sys.stderr.write(f"there is no pair or guide {', '.join(unknown)}; name some of {', '.join(known)}\n")
        return 2
    faults: list[str] = []
    for pair in reversed(PAIRS):
        if wanted and pair.extra not in wanted:
            continue
        _show(f"\n{pair.extra}: pyspark {pair.pyspark} with delta-spark {pair.delta_spark}")
        journey = _followed(pair)
        record(pair, journey, f"{datetime.now(timezone.utc):%Y-%m-%d}")
        faults += [f"{pair.extra}: {fault}" for fault in journey.faults]
    for guide in GUIDES:
        if not wanted or guide in wanted:
            _show(f"\nthe installation of the guide {guide}")
            faults += installed(guide)
    _show(f"\n{table()}\n")
    for fault in faults:
        _show(fault)
    return int(bool(faults))


def _followed(pair: Pair) -> Journey:
    """Follow the page on a pair, and show how each command went."""
    commands: list[Command] = []
    TRANSCRIPTS.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as name,
        (TRANSCRIPTS / f"{pair.extra}.txt").open("w", encoding="utf-8") as transcript,
    ):
        scratch = Path(name)
        package = f"pytest-delta-schema[{pair.extra}] @ {wheel(scratch).as_uri()}"
        home = scratch / "home"
        home.mkdir()
        try:
            with Shell(home, variables(pair, scratch)) as shell:
                for command in follow(PAGE.read_text("utf-8"), shell, home / PROJECT, package):
                    commands.append(command)
                    ran = command.ran
                    times = f"{ran.end - ran.start:6.1f} s, silent {ran.silence.seconds:4.1f} s"
                    _show(f"  {times}  $ {ran.command}{command.fault and f'  {command.fault}'}")
                    transcript.write(
                        "\n".join([f"$ {ran.command}", *ran.lines, f"[{times}, after: {ran.silence.after}]\n\n"]),
                    )
                    transcript.flush()
        except (PageError, ShellError) as error:
            return Journey(commands=commands, stop=str(error))
    return Journey(commands=commands)


def _show(line: str) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Follow the tutorial as its page shows it: write its files, type its commands, and compare what they print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.pages import PageError, missing_line, steps, write_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.pages import Step
    from tutorial.shell import Ran, Shell

EXTRA = "pytest-delta-schema[spark]"
"""What the page installs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the page that was run, the line where the page has it, and what the page shows otherwise."""

    line: int
    ran: Ran
    fault: str


def follow(page: str, shell: Shell, folder: Path, wheel: str) -> Iterator[Command]:
    """Run the commands of a page, one after the other, and write its files between them.

    The wheel takes the place of the package of the index. A step that a reader cannot do, or an installation that fails,
    is a :class:`PageError`.
    """
    for step in steps(page):
        if step.kind == "file":
            write_file(step, folder)
        elif step.kind == "sh":
            for typed in step.body.splitlines():
                ran = shell.run(typed.replace(EXTRA, wheel))
                yield Command(line=step.line, ran=ran, fault=_fault(ran, shown=None))
                if ran.code:
                    raise PageError(f"line {step.line}: $ {typed} failed:\n" + "\n".join(ran.lines))
        elif step.kind == "run":
            ran = shell.run(step.head)
            yield Command(line=step.line, ran=ran, fault=_fault(ran, shown=step))
        elif step.kind not in ("catalog", "text"):
            raise PageError(f"line {step.line}: a reader does not see {step.kind} {step.head}")


def _fault(ran: Ran, shown: Step | None) -> str:
    """Return how the output and the exit code of a command differ from what a page shows; a gate that has drifted is red."""
    missing = None if shown is None else missing_line(shown.body.splitlines(), ran.lines)
    if missing is not None:
        return f"does not print {missing!r} here"
    is_red = shown is not None and " drifted, " in shown.body
    return "" if ran.code == is_red else f"ended with exit code {ran.code}"

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

LONGEST_SILENCE = 5.0
"""Seconds without output that a command of this package may have."""

FIRST_GREEN_DRIFT = 180.0
"""Seconds from the end of pip to the first gate that passes."""

_NOT_OURS = ("cat", "cd", "mkdir", "pip", "python -m venv")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """A page that was followed to its end, or until a command made the rest impossible, which ``stop`` says."""

    commands: list[Command]
    stop: str = ""

    @property
    def quietest(self) -> Ran | None:
        """The command of this package with the longest silence."""
        ours = [command.ran for command in self.commands if not command.ran.command.startswith(_NOT_OURS)]
        return max(ours, key=lambda ran: ran.silence.seconds, default=None)

    @property
    def first_green_drift(self) -> float | None:
        """The seconds from the end of pip to the end of the first gate that passed; ``None`` if none did."""
        runs = [command.ran for command in self.commands]
        installed = [ran.end for ran in runs if ran.command.startswith("pip ")]
        green = [ran.end for ran in runs if "--delta-drift" in ran.command and not ran.code]
        return green[0] - installed[0] if installed and green else None

    @property
    def faults(self) -> list[str]:
        """What makes the journey fail: the page, silence, or time."""
        faults = [
            f"line {command.line}: $ {command.ran.command} {command.fault}"
            for command in self.commands
            if command.fault
        ]
        if self.quietest is not None and self.quietest.silence.seconds > LONGEST_SILENCE:
            silence = self.quietest.silence
            faults.append(f"$ {self.quietest.command} was silent for {silence.seconds:.1f} s, after: {silence.after}")
        drift = self.first_green_drift
        if drift is None:
            faults.append("no gate has passed after the installation")
        elif drift > FIRST_GREEN_DRIFT:
            limit = f"which is more than {FIRST_GREEN_DRIFT:.0f} s"
            faults.append(f"the first gate passed {drift:.0f} s after the installation, {limit}")
        return [*faults, *filter(None, [self.stop])]

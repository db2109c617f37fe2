"""Follow the tutorial as its page shows it: write its files, type its commands, and compare what they print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.pages import PageError, missing_line, steps, write_file
from tutorial.environment import EXTRA

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.pages import Step
    from tutorial.shell import Ran, Shell, Silence

LONGEST_SILENCE = 5.0
"""Seconds without output that a command of this package may have."""

FIRST_GREEN_DRIFT = 180.0
"""Seconds from the end of pip to the first gate that passes."""

DRIFT = "--delta-drift"
_NOT_OURS = ("cat", "cd", "mkdir", "pip", "python -m venv")
_RED = " drifted, "


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of the page that was run.

    Args:
        line: Where the page has it.
        ran: How it ended.
        fault: What the page shows otherwise; ``""`` if it shows what is so.
    """

    line: int
    ran: Ran
    fault: str

    @property
    def is_ours(self) -> bool:
        """Whether the command is one of this package."""
        return not self.ran.command.startswith(_NOT_OURS)


def follow(page: str, shell: Shell, folder: Path, wheel: str) -> Iterator[Command]:
    """Run the commands of a page, one after the other, and write its files between them.

    Args:
        page: The text of the page.
        shell: The reader's shell.
        folder: The project folder that the page makes and enters.
        wheel: What pip installs instead of the package of the index.

    Raises:
        PageError: If the page has a step that a reader cannot do, or an installation fails.
    """
    for step in steps(page):
        if step.kind == "file":
            write_file(step, folder)
        elif step.kind == "sh":
            for typed in step.body.splitlines():
                ran = shell.run(typed.replace(EXTRA, wheel))
                yield Command(line=step.line, ran=ran, fault=_fault(ran, shown=None))
                if ran.code:
                    msg = f"line {step.line}: $ {typed} failed:\n" + "\n".join(ran.lines)
                    raise PageError(msg)
        elif step.kind == "run":
            ran = shell.run(step.head)
            yield Command(line=step.line, ran=ran, fault=_fault(ran, shown=step))
        elif step.kind not in ("catalog", "text"):
            msg = f"line {step.line}: a reader does not see {step.kind} {step.head}"
            raise PageError(msg)


def _fault(ran: Ran, shown: Step | None) -> str:
    """Return how the output and the exit code of a command differ from what a page shows; a gate that has drifted is red."""
    missing = None if shown is None else missing_line(shown.body.splitlines(), ran.lines)
    if missing is not None:
        return f"does not print {missing!r} here"
    is_red = shown is not None and _RED in shown.body
    return "" if ran.code == is_red else f"ended with exit code {ran.code}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """A page that was followed to its end, or until a command made the rest impossible.

    Args:
        commands: Those that ran, in order.
        stop: Why the rest was not run; ``""`` if all ran.
    """

    commands: list[Command]
    stop: str = ""

    @property
    def failed(self) -> list[str]:
        """The commands whose output is not that of the page."""
        return [command.ran.command for command in self.commands if command.fault]

    @property
    def longest_silence(self) -> tuple[Silence, str] | None:
        """The longest silence of a command of this package, and the command; ``None`` if none ran."""
        package_runs = [command.ran for command in self.commands if command.is_ours]
        ran = max(package_runs, key=lambda ran: ran.silence.seconds, default=None)
        return None if ran is None else (ran.silence, ran.command)

    @property
    def first_green_drift(self) -> float | None:
        """The seconds from the end of pip to the end of the first gate that passed; ``None`` if none did."""
        installed = [command.ran.end for command in self.commands if command.ran.command.startswith("pip ")]
        green = [command.ran.end for command in self.commands if DRIFT in command.ran.command and not command.ran.code]
        return green[0] - installed[0] if installed and green else None

    @property
    def faults(self) -> list[str]:
        """What makes the journey fail: the page, silence, or time."""
        faults = [
            f"line {command.line}: $ {command.ran.command} {command.fault}"
            for command in self.commands
            if command.fault
        ]
        faults += [
            f"line {command.line}: $ {command.ran.command} was silent for {command.ran.silence.seconds:.1f} s,"
            f" after: {command.ran.silence.after}"
            for command in self.commands
            if command.is_ours and command.ran.silence.seconds > LONGEST_SILENCE
        ]
        drift = self.first_green_drift
        if drift is None:
            faults.append("no gate has passed after the installation")
        elif drift > FIRST_GREEN_DRIFT:
            faults.append(
                f"the first gate passed {drift:.0f} s after the installation, which is more than {FIRST_GREEN_DRIFT:.0f} s",
            )
        return [*faults, *filter(None, [self.stop])]

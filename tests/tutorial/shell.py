"""A shell on a pseudo terminal of 80 columns, as a reader has it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from typing_extensions import Self

ROWS, COLUMNS = 24, 80
PATIENCE = 900.0
"""Seconds after which a command is given up."""

# Bash prints it before each prompt: the exit code between two separators that no command prints.
_PROMPT = "printf '\\036%s\\036' $?"
_PROMPTED = re.compile(rb"\x1e(\d+)\x1e\Z")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()].|\x1b\][^\x07]*\x07")


class ShellError(Exception):
    """A command did not end, or has ended the shell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that has ended, with what the terminal shows in the end."""

    command: str
    code: int
    lines: list[str]


class Shell:
    """A bash in which commands run one after the other; a context manager that ends it."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        variables = {**environment, "PS1": "", "PS2": "", "PROMPT_COMMAND": _PROMPT, "TERM": "xterm"}
        self._process, self._terminal = pty.fork()
        if self._process == 0:  # pragma: no cover - in the child
            os.chdir(folder)
            os.execvpe("bash", ["bash", "--noprofile", "--norc", "--noediting", "-i"], variables)  # noqa: S606
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        modes = termios.tcgetattr(self._terminal)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(self._terminal, termios.TCSANOW, modes)
        self._read("bash")

    def run(self, command: str) -> Ran:
        """Run a line until the next prompt; one that does not end, or ends the shell, is a :class:`ShellError`."""
        os.write(self._terminal, f"{command}\n".encode())
        return self._read(command)

    def _read(self, command: str) -> Ran:
        parts: list[bytes] = []
        prompted = None
        while prompted is None:
            if not select.select([self._terminal], [], [], PATIENCE)[0]:
                raise ShellError(f"{command}: silent for {PATIENCE:.0f} s after {screen_lines(b''.join(parts))[-1:]}")
            try:
                part = os.read(self._terminal, 65536)
            except OSError as error:  # Linux, when the last process has closed the terminal
                raise ShellError(f"{command} has ended the shell") from error
            parts.append(part)
            prompted = _PROMPTED.search(b"".join(parts[-3:]))
        return Ran(command=command, code=int(prompted[1]), lines=screen_lines(_PROMPTED.sub(b"", b"".join(parts))))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGHUP)
        os.close(self._terminal)
        os.waitpid(self._process, 0)


def screen_lines(output: bytes) -> list[str]:
    """Return the lines that a wide terminal shows in the end: without colours, the last text of each rewritten line."""
    text = _CONTROL.sub("", output.decode("utf-8", "replace")).replace("\r\n", "\n")
    return [_overwritten(line).rstrip() for line in text.removesuffix("\n").split("\n")] if text else []


def _overwritten(line: str) -> str:
    shown = ""
    for text in line.split("\r"):
        shown = text + shown[len(text) :]
    return shown

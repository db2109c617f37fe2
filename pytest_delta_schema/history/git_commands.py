"""Run git: no shell, no hooks, no network, no lock, and the texts that it has in English."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, os_error_text
from pytest_delta_schema.diagnostics.escaping import escaped, shortened
from pytest_delta_schema.diagnostics.redaction import redacted_uris

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
"""The full id of a commit."""

_SECONDS = 60
_LONGEST = 300

_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
"""How variables begin that stay; the others, such as the GIT_DIR of a hook, would choose a different repository."""

_SET = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    # Git 2.39.3 and older fetch the objects of a partial clone all the same.
    "GIT_ALLOW_PROTOCOL": "none",
}

_GIT = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")


class HistoryError(DeltaSchemaError):
    """Nothing can be compared with a ``REF``; the text is the fact and what to do about it."""


class GitAnswer(NamedTuple):
    """The output of a command, and its exit status."""

    status: int
    output: bytes
    message: str
    """The first line of its errors, safe to print."""

    @property
    def text(self) -> str:
        """The output as text; a name that is not UTF-8 keeps its bytes."""
        return os.fsdecode(self.output).removesuffix("\n")


def git_top(folder: Path) -> Path | None:
    """Return the top folder of the working tree that a folder is in; ``None`` outside of one."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


def run_git(folder: Path, *arguments: str, lines: bytes = b"", seconds: float | None = None) -> GitAnswer:
    """Run a command of git in a folder, and return its answer, whatever its exit status is.

    The lines are its input, and the seconds the time that it may take, a minute by default.

    Raises:
        HistoryError: If git is not installed, or takes longer, or no program can have such an argument.
    """
    limit = _SECONDS if seconds is None else seconds
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and no name is read as an option
            [*_GIT, *arguments],
            cwd=folder,
            env={**kept, **_SET},
            input=lines,
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except FileNotFoundError:
        msg = "git is not installed, or not on the PATH; install it, or give a folder with state files, such as ./old"
        raise HistoryError(msg) from None
    except OSError as error:
        msg = f"git cannot be started: {os_error_text(error)}; check the installation of git"
        raise HistoryError(msg) from None
    except ValueError:
        msg = "no name in git has such characters; write the name of a branch, a tag or a commit"
        raise HistoryError(msg) from None
    except subprocess.TimeoutExpired:
        msg = f"git {arguments[0]} has not finished in {limit:g} seconds; check that the repository is on a local disk"
        raise HistoryError(msg) from None
    return GitAnswer(done.returncode, done.stdout, _message(done.stderr))


def _message(errors: bytes) -> str:
    """Return the line of git's errors that says what has happened."""
    lines = errors.decode(errors="replace").splitlines()
    line = next((line for line in lines if line.startswith("fatal: ")), lines[0] if lines else "")
    return shortened(escaped(redacted_uris(line.removeprefix("fatal: "))), _LONGEST)

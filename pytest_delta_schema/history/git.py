"""Run git: no shell, no hooks, no filters, no network, no lock, and the texts that it has in English."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, os_error_text
from pytest_delta_schema.diagnostics.redaction import without_secrets
from pytest_delta_schema.diagnostics.text import escaped, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class HistoryError(DeltaSchemaError):
    """Nothing can be compared with a ``REF``; the text is the fact and what to do about it."""


_SECONDS = 60

_FOLDER = "give a folder with state files, such as ./old"

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


def run_git(folder: Path, *arguments: str, lines: bytes = b"", seconds: float | None = None) -> GitAnswer:
    """Run a command of git in a folder, and return its answer, whatever its exit status is."""
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
    except OSError as error:
        msg = f"git cannot be started: {os_error_text(error)}; install it, or {_FOLDER}"
        raise HistoryError(msg) from None
    except ValueError:
        msg = "no name in git has such characters; write the name of a branch, a tag or a commit"
        raise HistoryError(msg) from None
    except subprocess.TimeoutExpired:
        msg = f"git {arguments[0]} has not finished in {limit:g} seconds; check that the repository is on a local disk"
        raise HistoryError(msg) from None
    return GitAnswer(done.returncode, done.stdout, _message(done.stderr))


_LONGEST = 300


def _message(errors: bytes) -> str:
    """Return the line of git's errors that says what has happened."""
    lines = errors.decode(errors="replace").splitlines()
    line = next((line for line in lines if line.startswith("fatal: ")), lines[0] if lines else "")
    return shortened(escaped(without_secrets(line.removeprefix("fatal: "))), _LONGEST)


def git_top(folder: Path) -> Path | None:
    """Return the top folder of the working tree that a folder is in; ``None`` outside of one."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
"""The full id of a commit."""

_SHORT = 12


def short_id(commit: str) -> str:
    """Return the id of a commit as messages show it."""
    return commit[:_SHORT]


_SETTINGS = tuple(
    f":(glob)**/{name}" for name in ("*.py", "pyproject.toml", "pytest.toml", "pytest.ini", "tox.ini", "setup.cfg")
)
"""The files that decide what models are, in any folder."""

_CONVERSIONS = ("filter", "text", "eol", "working-tree-encoding", "ident", "crlf")
"""The attributes with which git stores another content than the work tree has."""

SUBMODULE = "160000"
SYMBOLIC_LINK = "120000"


class WorkTree(NamedTuple):
    """The files that may decide what models are, and differ from ``HEAD`` or are new, by their paths from the top."""

    changed: tuple[str, ...]
    maybe_changed: tuple[str, ...]
    """Those whose attributes let git convert them; only their filters, which are not run, could tell."""


class TreeFile(NamedTuple):
    """A file of a commit, or what else an entry of its tree is."""

    path: str
    """From the folder of the project."""
    mode: str
    oid: str


class ReachableTag(NamedTuple):
    """A tag of ``HEAD`` or of a commit before it."""

    name: str
    commit: str
    seconds: int
    """When the commit was made."""


class FileVersion(NamedTuple):
    """A commit that has changed a file, on the branch itself or by a merge."""

    commit: str
    seconds: int
    """When the commit was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The repository that the folder of a project is in."""

    folder: Path
    head: str
    """The commit of ``HEAD``."""
    is_shallow: bool

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """Return the repository around a folder."""
        answer = _succeeded(folder, "rev-parse", "--is-shallow-repository", "HEAD^{commit}")
        is_shallow, head = answer.text.splitlines()
        return cls(folder=folder, head=head, is_shallow=is_shallow == "true")

    def output(self, *arguments: str, lines: bytes = b"") -> GitAnswer:
        """Return the answer of a command that has succeeded."""
        return _succeeded(self.folder, *arguments, lines=lines)

    def commit(self, name: str) -> str:
        """Return the full id of the commit that a name or an expression means; ``""`` if it means none."""
        answer = run_git(self.folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return answer.text if COMMIT.fullmatch(answer.text) else ""

    def full_name(self, name: str) -> str:
        """Return what an expression such as ``@{upstream}`` is short for: ``refs/remotes/origin/main``."""
        answer = run_git(
            self.folder, "rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", name
        )
        return answer.text if answer.text.startswith("refs/") and "\n" not in answer.text else ""

    def existing(self, names: Iterable[str]) -> list[str]:
        """Return those of some full names that the repository has, in the same order."""
        wanted = list(names)
        stored = set(self.output("for-each-ref", "--format=%(refname)", *wanted).text.splitlines())
        return [name for name in wanted if name in stored]

    def short_names(self) -> list[str]:
        """Return all branches and tags as people write them."""
        text = self.output("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags").text
        return [name.split("/", 2)[2] for name in text.splitlines()]

    def remotes(self) -> list[str]:
        """Return the names of the remote repositories, ``origin`` first."""
        return sorted(self.output("remote").text.splitlines(), key=lambda name: name != "origin")

    def reachable_tags(self) -> list[ReachableTag]:
        """Return the tags of ``HEAD`` and of the commits before it, the highest version first."""
        fields = ("refname", "objectname", "*objectname", "committerdate:unix", "*committerdate:unix")
        form = "%00".join(f"%({field})" for field in fields)
        options = ("--merged=HEAD", "--sort=-version:refname", f"--format={form}")
        rows = [line.split("\0") for line in self.output("for-each-ref", *options, "refs/tags").text.splitlines()]
        return [
            ReachableTag(name.removeprefix("refs/tags/"), peeled or commit, int(peeled_seconds or seconds))
            for name, commit, peeled, seconds, peeled_seconds in rows
        ]

    def seconds(self, commit: str) -> int:
        """Return when a commit was made."""
        return int(self.output("log", "-1", "--format=%ct", commit).text)

    def versions(self, commit: str, file: str) -> list[FileVersion]:
        """Return the commits up to a commit that have changed a file, the newest first; merges instead of branches."""
        options = ("--first-parent", "--format=%H %ct", commit, "--", f":(literal){file}")
        lines = self.output("log", *options).text.splitlines()
        parts = (line.partition(" ") for line in lines)
        return [FileVersion(version, int(seconds)) for version, _, seconds in parts]

    def content(self, commit: str, file: str) -> bytes | None:
        """Return the content of a file of a commit, from the folder of the project; ``None`` if it has none."""
        answer = run_git(self.folder, "cat-file", "blob", f"{commit}:./{file}")
        return None if answer.status else answer.output

    def merge_bases(self, name: str) -> list[str]:
        """Return the best common commits of ``HEAD`` and a branch; empty if they have none."""
        return run_git(self.folder, "merge-base", "--all", "HEAD", name).text.split()

    def distance(self, commit: str) -> int:
        """Return how many commits ``HEAD`` has that a commit has not."""
        return int(self.output("rev-list", "--count", f"{commit}..HEAD").text)

    def contains(self, commit: str, other: str) -> bool:
        """Whether a commit is a second one, or comes after it."""
        return run_git(self.folder, "merge-base", "--is-ancestor", other, commit).status == 0

    def work_tree(self) -> WorkTree:
        """Return what differs from ``HEAD``, and is not ignored.

        ``git status`` and every other command that compares the work tree runs the filters of the configuration, at
        least for files that are as new as the index (git 2.39.5), so the files are read and hashed here.
        """
        top = self.at_top()
        index = map(_index_entry, _split(top.output("ls-files", "-z", "-t", "--stage", "--", *_SETTINGS)))
        staged = top.output("diff-index", "--cached", "--name-only", "-z", "--no-renames", "HEAD", "--", *_SETTINGS)
        new = top.output("ls-files", "-z", "--others", "--exclude-standard", "--", *_SETTINGS)
        entries = {entry.path: entry for entry in index}
        changed = {path for path, entry in entries.items() if _differs(top.folder, entry)}
        changed.update(path for path in _split(staged) if path not in entries or entries[path].mode != SUBMODULE)
        converted = _converted(top, changed)
        return WorkTree((*sorted(changed - converted), *sorted({*_split(new)} - changed)), tuple(sorted(converted)))

    def files(self, commit: str) -> list[TreeFile]:
        """Return the entries of a commit below the folder of the project."""
        entries = [entry.partition("\t") for entry in _split(self.output("ls-tree", "-r", "-z", commit))]
        return [TreeFile(path, *head.split(" ")[::2]) for head, _, path in entries]

    def at_top(self) -> Repository:
        """Return the repository as it is seen from the top of its work tree."""
        return replace(self, folder=Path(self.output("rev-parse", "--show-toplevel").text))

    def prefix(self) -> str:
        """Return the path of the folder from the top of the work tree: ``shop/``; ``""`` for the top."""
        return self.output("rev-parse", "--show-prefix").text

    def gone(self, commit: str, *patterns: str) -> list[TreeFile]:
        """Return the entries of a commit that the work tree no longer has, by their paths from its top."""
        index = map(_index_entry, _split(self.output("ls-files", "-z", "-t", "--stage", "--", *patterns)))
        kept = {entry.path for entry in index if entry.is_skipped or os.path.lexists(self.folder / entry.path)}
        return [file for file in self.files(commit) if file.path not in kept]

    def contents(self, files: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of files of commits, by their ids."""
        lines = "".join(f"{oid}\n" for oid in dict.fromkeys(files)).encode()
        return dict(_blobs(self.output("cat-file", "--batch", lines=lines).output))


def _succeeded(folder: Path, *arguments: str, lines: bytes = b"") -> GitAnswer:
    answer = run_git(folder, *arguments, lines=lines)
    if answer.status:
        raise HistoryError(_failure(arguments[0], answer.message))
    return answer


def _failure(command: str, reason: str) -> str:
    """Return that a command of git has failed, with the reason in git's own words."""
    return f"git {command} has failed: {reason}; correct that, or {_FOLDER}"


def _split(answer: GitAnswer) -> list[str]:
    """Return the names that git has written with ``-z``."""
    return answer.text.split("\0")[:-1]


class _IndexEntry(NamedTuple):
    path: str
    mode: str
    oid: str
    stage: str
    """``0``, or a side of a merge conflict."""
    is_skipped: bool
    """Whether the file is not part of a sparse checkout."""


def _index_entry(entry: str) -> _IndexEntry:
    """Return the entry that ``git ls-files -z -t --stage`` has written."""
    head, _, path = entry.partition("\t")
    tag, mode, oid, stage = head.split(" ")
    return _IndexEntry(path, mode, oid, stage, tag == "S")


def _differs(top: Path, entry: _IndexEntry) -> bool:
    """Whether a file of the work tree is not what the index has; the ends of its lines may be those of Windows."""
    if entry.is_skipped or entry.mode == SUBMODULE:
        return False
    content = _content(top / entry.path, is_link=entry.mode == SYMBOLIC_LINK)
    if content is None or entry.stage != "0":
        return True
    return entry.oid not in (_blob_id(text, entry.oid) for text in (content, content.replace(b"\r\n", b"\n")))


def _content(path: Path, *, is_link: bool) -> bytes | None:
    """Return the content of a file, or the target of a link; ``None`` for what is neither, such as a pipe."""
    try:
        mode = path.lstat().st_mode
        if is_link:
            return os.fsencode(path.readlink()) if stat.S_ISLNK(mode) else None
        return path.read_bytes() if stat.S_ISREG(mode) else None
    except OSError:
        return None


def _converted(top: Repository, paths: Iterable[str]) -> set[str]:
    """Return those of some files that git converts when it stores them."""
    lines = b"".join(os.fsencode(path) + b"\0" for path in paths)
    fields = _split(top.output("check-attr", "-z", "--stdin", *_CONVERSIONS, lines=lines))
    values = zip(fields[::3], fields[2::3], strict=True)
    return {path for path, value in values if value not in {"unspecified", "unset"}}


_SHA256_LENGTH = 64


def _blob_id(content: bytes, like: str) -> str:
    """Return the id of a content, by the algorithm of another id."""
    algorithm = "sha256" if len(like) == _SHA256_LENGTH else "sha1"
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _blobs(output: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the content of each object that ``git cat-file --batch`` has written."""
    start = 0
    while start < len(output):
        end = output.index(b"\n", start)
        oid, state, *size = output[start:end].decode().split(" ")
        if not size:
            raise HistoryError(_failure("cat-file", f"{oid} {state}"))
        start = end + 1 + int(size[0]) + 1
        yield oid, output[end + 1 : start - 1]

"""Mutants and changes as values, a random order of them, and those that do not change the behaviour."""

from __future__ import annotations

import ast
import io
import random
import tokenize
import warnings
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

EQUIVALENT = Path(__file__).with_name("equivalent.txt")


@dataclass(frozen=True, slots=True, order=True)
class Mutant:
    """One thing to change in a file: the position, and the operator and its occurrence in the file as cosmic-ray counts them."""

    path: str
    line: int
    column: int
    operator: str
    occurrence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A mutant written out: the first changed line before and after, and the whole file."""

    path: str
    line: int
    before: str
    after: str
    code: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies the change while other lines of the file move."""
        return self.path, self.before, self.after


def change_between(path: str, before: str, after: str) -> Change:
    """Return the change between two versions of a file, which differ."""
    lines = zip(before.splitlines(), after.splitlines(), strict=False)
    line, (old, new) = next((number, pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1])
    return Change(path=path, line=line, before=old.strip(), after=new.strip(), code=after)


def is_valid(code: str) -> bool:
    """Whether Python accepts the code: a starred expression, for one, accepts no other operator."""
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            compile(code, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def shuffled(mutants: Sequence[Mutant], seed: int) -> Iterator[Mutant]:
    """Yield one mutant of each position, in a random order that the seed decides: operators with many mutants do not prevail."""
    positions: dict[tuple[str, int, int], list[Mutant]] = {}
    for mutant in sorted(mutants):
        positions.setdefault((mutant.path, mutant.line, mutant.column), []).append(mutant)
    dice = random.Random(seed)  # noqa: S311 - not a secret
    for position in dice.sample(list(positions), len(positions)):
        yield dice.choice(positions[position])


def equivalents(path: Path = EQUIVALENT) -> dict[tuple[str, str, str], str]:
    """Return the reasons of the changes that do not change the behaviour, by their keys.

    The file has paragraphs as survivors are printed: path and line, ``- before``, ``+ after``, reason.
    """
    text = path.read_text(encoding="utf-8").strip()
    paragraphs = [paragraph.splitlines() for paragraph in text.split("\n\n") if paragraph]
    return {
        (header.rpartition(":")[0], before.removeprefix("- "), after.removeprefix("+ ")): reason
        for header, before, after, reason in paragraphs
    }


def outdated(path: Path = EQUIVALENT, root: Path = EQUIVALENT.parents[2]) -> Iterator[str]:
    """Yield why changes of the list of those that do not change the behaviour cannot be made: they leave the list then."""
    for file, before, _ in equivalents(path):
        if not (root / file).is_file():
            yield f"{file} does not exist: {before!r}"
            continue
        lines = [line.strip() for line in (root / file).read_text(encoding="utf-8").splitlines()]
        if lines.count(before) != 1:
            yield f"{file} has {lines.count(before)} lines {before!r}"


def is_noticeable(code: str) -> Callable[[tuple[int, int]], bool]:
    """Return whether tests can notice a change at a line and column.

    They cannot notice what only type checkers read, the options of data classes, and the ``*`` and ``/`` between the
    parameters of a function, which are not operators.
    """
    spans = [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in _ignored(ast.parse(code))
    ]
    for token, following in pairwise(tokenize.generate_tokens(io.StringIO(code).readline)):
        if token.string in ("*", "/") and following.string in (",", ")"):
            spans.append((token.start, token.end))
    return lambda position: not any(first <= position < last for first, last in spans)


def _ignored(tree: ast.Module) -> Iterator[ast.expr | ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.ClassDef):
            is_protocol = any(ast.unparse(base).startswith("Protocol") for base in node.bases)
            yield from [node] if is_protocol else node.decorator_list
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "cast":
            yield node.args[0]
    for value in (statement.value for statement in tree.body if isinstance(statement, ast.Assign)):
        is_either = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)
        # A union of types.
        if is_either and ast.unparse(value)[0].isupper():
            yield value

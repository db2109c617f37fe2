"""The codes of this package and their explanations, read from the docstrings of the classes that have them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from textwrap import dedent, fill, indent
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


CodeStage = Literal[
    "model",
    "plan",
    "data check",
    "rows",
    "reading",
    "applying",
    "note",
    "drift",
    "catalog entry",
    "unmanaged table",
    "compatibility",
]
"""What a code belongs to: rules of four kinds, faults of a catalog or an apply, notes, differences of three kinds, and
changes of a contract."""

_STAGES: dict[str, CodeStage] = {
    "DC1": "compatibility",
    "DS1": "model",
    "DS2": "plan",
    "DS3": "data check",
    "DS4": "rows",
    "DS5": "reading",
    "DS6": "applying",
    "DS7": "note",
    "DD1": "drift",
    "DD2": "catalog entry",
    "DD3": "unmanaged table",
}

_TITLES: dict[CodeStage, str] = {
    "model": "a rule for declarations",
    "plan": "a rule for plans",
    "data check": "a data check",
    "rows": "a rule for rows",
    "reading": "a fault of reading the catalog",
    "applying": "a fault of an apply or of a metadata sync",
    "note": "a note, for which no table fails",
    "drift": "a difference between a model and the catalog",
    "catalog entry": "a difference between a catalog entry and a Delta log",
    "unmanaged table": "a difference between the models and a schema",
    "compatibility": "a change of a contract since its release",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeInfo:
    """The explanation of one code."""

    code: str
    name: str
    stage: CodeStage
    summary: str
    details: str
    """The reason, as paragraphs with an empty line between them; ``""`` for none."""
    remedy: str
    example: str
    """A declaration, or the lines of a report, that have this fault."""

    @property
    def meaning(self) -> str:
        """The summary and the details."""
        return f"{self.summary}\n\n{self.details}".strip()


_ASSIGNED = b'\n    code = "D'
_REMEDY = "Remedy: "
_EXAMPLE = re.compile(r"\n\nExample:\n((?:    .*(?:\n|\Z)|\n)+)")
_ARGUMENTS = re.compile(r"\n\nArgs:\n.*", re.DOTALL)


@cache
def all_codes() -> tuple[CodeInfo, ...]:
    """Return every code of this package, sorted; rules of a project are not among them."""
    sources = (path.read_bytes() for path in Path(__file__).parents[1].rglob("*.py"))
    infos = (info for source in sources if _ASSIGNED in source for info in _codes_in(source))
    return tuple(sorted(infos, key=lambda info: info.code))


def _codes_in(source: bytes) -> Iterator[CodeInfo]:
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef):
            continue
        texts: dict[str, str] = {}
        for statement in node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                    texts[name] = text
        if "code" in texts:
            yield _info(texts["code"], texts.get("drift", node.name), ast.get_docstring(node) or "")


def _info(code: str, name: str, docstring: str) -> CodeInfo:
    text = _ARGUMENTS.sub("", docstring)
    example = _EXAMPLE.search(text)
    summary, *paragraphs = _EXAMPLE.sub("", text).split("\n\n")
    return CodeInfo(
        code=code,
        name=name,
        stage=_STAGES[code[:3]],
        summary=summary,
        details="\n\n".join(part for part in paragraphs if not part.startswith(_REMEDY)),
        remedy="\n\n".join(part.removeprefix(_REMEDY) for part in paragraphs if part.startswith(_REMEDY)),
        example="" if example is None else dedent(example[1]).strip("\n"),
    )


def explained(texts: Iterable[str], width: int) -> str:
    """Return the explanations of codes as plain text; codes are in any case, several in one text with commas."""
    infos = {info.code: info for info in all_codes()}
    codes = [*dict.fromkeys(part.strip().upper() for text in texts for part in text.split(",") if part.strip())]
    if not codes:
        msg = "no code is named; write one, such as DS206 or DD102, or several with commas between them"
        raise ValueError(msg)
    unknown = [code for code in codes if code not in infos]
    if unknown:
        raise ValueError("\n".join(_unknown(code, [*infos]) for code in unknown))
    return "\n\n".join(_explanation(infos[code], min(width, _WIDTH)) for code in codes)


_WIDTH = 100


def _unknown(code: str, known: list[str]) -> str:
    near = get_close_matches(code, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "codes are DS, DD or DC and three digits, such as DS206"
    return f"there is no code {code}; {hint}"


def _explanation(info: CodeInfo, width: int) -> str:
    paragraphs = [f"{info.code} {info.name}: {_TITLES[info.stage]}", *info.meaning.split("\n\n")]
    paragraphs.append(f"{_REMEDY}{info.remedy}")
    plain = [fill(" ".join(part.replace("``", "").split()), width, break_on_hyphens=False) for part in paragraphs]
    return "\n\n".join([*plain, f"Example:\n\n{indent(info.example, '    ')}"])

"""Find the constraint that stopped a write, from the error that Delta raised.

On classic Spark the exception is a ``Py4JJavaError``, over Spark Connect and from the catalogs of this package it is
a different one; its text is the same in all of them (Delta 4.4.0).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameSet, same_name
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.type_traversal import not_null_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_delta_schema.models.table import Table

CHECK, NOT_NULL, LENGTH = "check", "not null", "length"

_CHECK = re.compile(r"CHECK constraint (?P<check>.+?) violated by row with values:(?P<values>.*)", re.DOTALL)
_NAME_AND_EXPRESSION = re.compile(r"(?P<name>.+?) (?P<expression>\w*\(.*\))", re.DOTALL)
_VALUE = re.compile(r"\n - (.+?) : ")
_NOT_NULL = (
    re.compile(r"NOT NULL constraint violated for column: (?P<name>.+?)\.?\s*$", re.MULTILINE),
    re.compile(r"Column (?P<name>.+?), which has a NOT NULL constraint, is missing"),
)
_LENGTH = re.compile(
    r'Value "(?P<value>.*)" exceeds char/varchar type length limitation\. Failed check: (?P<check>.*)\.'
)
_TOO_LONG = re.compile(r", column (?P<name>[^:]+): .* does not fit (?P<check>(?:var)?char\(\d+\)): it has")
"""How this package refuses a text before a table does, and in the memory catalog."""
_STACK = re.compile(r"(?:\n\s+at [\w.$<>]+\(|\n+JVM stacktrace:\n).*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintViolation:
    """The constraint that stopped a write.

    Args:
        kind: ``check``, ``not null``, or ``length`` for char and varchar.
        name: The name of the check or of the column; ``""`` for a length that Delta enforces, because it does not name
            the column.
        expression: The condition, as Spark writes it, or the type of the column; ``""`` for NOT NULL.
        values: The values of the rejected row as text, by column, for the columns that the constraint uses.
        model: The declared table that has this constraint, if exactly one has.
    """

    kind: str
    name: str
    expression: str = ""
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    model: Table | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


def constraint_error(error: BaseException, *, models: Iterable[Table] = ()) -> ConstraintViolation | None:
    """Return the constraint that stopped a write.

    Args:
        error: The exception that the write raised; its causes are searched, too.
        models: Declared tables, to find the one that has the constraint.

    Returns:
        The violation; ``None`` if the error has another reason.
    """
    models = list(models)
    names = [check.name for model in models for check in model.checks]
    for text in _texts(error):
        violation = _read(_STACK.sub("", text), names)
        if violation is not None:
            return _with_model(violation, models)
    return None


def _read(text: str, names: Iterable[str]) -> ConstraintViolation | None:
    match = _CHECK.search(text)
    if match:
        parts = _VALUE.split(match["values"])
        values = dict(zip(parts[1::2], parts[2::2], strict=True))
        name, expression = _name_and_expression(match["check"], names)
        return ConstraintViolation(kind=CHECK, name=name, expression=expression, values=MappingProxyType(values))
    for pattern in _NOT_NULL:
        match = pattern.search(text)
        if match:
            return ConstraintViolation(kind=NOT_NULL, name=match["name"])
    match = _TOO_LONG.search(text)
    if match:
        return ConstraintViolation(kind=LENGTH, name=match["name"], expression=match["check"])
    match = _LENGTH.search(text)
    return None if match is None else ConstraintViolation(kind=LENGTH, name="", expression=match["check"])


def _name_and_expression(text: str, names: Iterable[str]) -> tuple[str, str]:
    """Return the name of a check and its condition, which only a space parts.

    Without a declared name the condition is taken to begin with a bracket or a function, as it mostly does:
    ``(a > 0)``, ``between(a, 1, 9)``. Otherwise the name is the first word.
    """
    known = [name for name in names if same_name(text[: len(name) + 1], f"{name} ")]
    if known:
        length = max(map(len, known))
        return text[:length], text[length + 1 :]
    match = _NAME_AND_EXPRESSION.fullmatch(text)
    if match:
        return match["name"], match["expression"]
    name, _, expression = text.partition(" ")
    return name, expression


def _texts(error: BaseException) -> Iterator[str]:
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield str(cause)
        cause = cause.__cause__ or cause.__context__


def _with_model(violation: ConstraintViolation, models: Iterable[Table]) -> ConstraintViolation:
    owners = [model for model in models if violation.name in _names(model, violation.kind)]
    return replace(violation, model=owners[0]) if len(owners) == 1 else violation


def _names(model: Table, kind: str) -> NameSet:
    if kind == CHECK:
        return NameSet.of(model.checks)
    if kind == NOT_NULL:
        return NameSet(map(str, not_null_paths(desired_state(model).columns)))
    return NameSet()

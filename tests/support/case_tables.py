"""Tables of cases that one test runs: its report has every case whose answer differs from the one that is written out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.diagnostics.errors import DeclarationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


@contextmanager
def named_cases(answer: Callable[..., Any]) -> Iterator[Callable[..., None]]:
    """Yield what takes a case: its name, what is given to a function, and what the function has to answer."""
    __tracebackhide__ = True
    wrong: list[str] = []

    def case(name: str, *values: Any) -> None:
        *given, expected = values
        answered = _answered(answer, given)
        if answered != expected:
            wrong.append(f"{name}:\n{_shown(answered)}\ninstead of\n{_shown(expected)}")

    yield case
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)


@contextmanager
def cases(answer: Callable[..., Any]) -> Iterator[Callable[..., None]]:
    """Yield what takes a case: what is given to a function, which is its name, too, and what the function has to answer."""
    __tracebackhide__ = True
    with named_cases(answer) as named:
        yield lambda *values: named(", ".join(map(repr, values[:-1]))[:300], *values)


def assert_rows(rows: Iterable[tuple[Any, ...]], answer: Callable[..., Any]) -> None:
    """Assert that a function answers what stands at the end of each row to what stands before it."""
    __tracebackhide__ = True
    with cases(answer) as case:
        for row in rows:
            case(*row)


def blocks_in(file: Path) -> dict[str, str]:
    """Return the texts of a file by their names: each stands below a line ``=== NAME``."""
    blocks = (block.partition("\n") for block in file.read_text("utf-8").split("=== ")[1:])
    return {name: text for name, _, text in blocks}


def refusal(call: Callable[..., Any], *arguments: Any, error: type[Exception] = DeclarationError) -> str:
    """Return the message with which a call is refused; ``""`` if it is not."""
    try:
        call(*arguments)
    except error as refused:
        return str(refused)
    return ""


def _answered(answer: Callable[..., Any], given: list[Any]) -> Any:
    try:
        return answer(*given)
    except Exception as error:  # noqa: BLE001 - the other cases are run as well
        return error


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else repr(value)

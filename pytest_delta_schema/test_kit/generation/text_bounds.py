"""Texts between bounds, in the order of their code points, as Spark compares them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pytest_delta_schema.test_kit.plain_values import text_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.state.expressions.conditions import Comparator

_FIRST, _LAST = " ", "~"
"""The characters that may replace a different one: printable ASCII."""


def bounded_texts(bounds: Sequence[tuple[Comparator, str]], number: int, shortest: int, longest: int) -> Iterator[str]:
    """Yield texts near some bounds; they have to be compared with the bounds."""
    lower = [text for operator, text in bounds if operator in (">", ">=")]
    upper = [text for operator, text in bounds if operator in ("<", "<=")]
    heads = chain(
        lower,
        (head for text in lower for head in _beside(text, 1)),
        (head for text in upper for head in _beside(text, -1)),
    )
    for head in heads:
        digits = text_value("", number, max(0, shortest - len(head)), longest - len(head))
        if digits is not None:
            yield head + digits
    for step in (number, 1):
        yield from chain.from_iterable(_beside(text, step) for text in lower)
        yield from chain.from_iterable(_beside(text, -step) for text in upper)
    yield from lower
    yield from upper
    yield ""


def _beside(text: str, step: int) -> Iterator[str]:
    """Yield beginnings of a text whose last character is the next one, or the one before."""
    for length in range(len(text), 0, -1):
        other = chr(min(max(ord(text[length - 1]) + step, ord(_FIRST)), ord(_LAST)))
        yield text[: length - 1] + other

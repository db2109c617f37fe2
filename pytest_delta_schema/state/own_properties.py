"""Read the JSON that ``pytest_delta_schema.*`` properties hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


class MalformedPropertyError(ValueError):
    """A ``pytest_delta_schema.*`` property holds something that this package has not written."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the property {key} is malformed")
        self.key = key


def decoded(key: str, text: str, read: Callable[[Any], _T]) -> _T:
    """Return what a property holds; raise a ``MalformedPropertyError`` if it is not what this package writes."""
    try:
        return read(json.loads(text))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise MalformedPropertyError(key) from None

"""Read the keys of a JSON object with their types."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_T = TypeVar("_T")
_Choice = TypeVar("_Choice", bound=Enum)

_SHOWN = 60
"""How many characters of a wrong value are shown."""

_NOUNS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    list: "a list",
    dict: "an object",
}


class JsonObject:
    """A JSON object whose keys are read with their types.

    Args:
        values: The object.
        path: Where it is, such as ``tables[2]``; ``""`` for the whole.

    Raises:
        ValueError: If it is none.
    """

    def __init__(self, values: object, path: str) -> None:
        self._path = path
        if not isinstance(values, dict):
            raise _wrong(path or "the whole", values, "an object")
        self._values: dict[str, Any] = values

    def _of(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def get(self, key: str, *kinds: type[_T]) -> _T:
        """Return a value of one of the types."""
        path = self._of(key)
        if key not in self._values:
            msg = f"{path} is missing"
            raise ValueError(msg)
        value: Any = self._values[key]
        # To Python, True is a number.
        if type(value) not in kinds:
            raise _wrong(path, value, " or ".join(map(_NOUNS.__getitem__, kinds)))
        return value  # type: ignore[no-any-return]

    def text(self, key: str) -> str:
        """Return a text."""
        return self.get(key, str)

    def optional(self, key: str, kind: type[_T]) -> _T | None:
        """Return a value of a type, or ``None``."""
        return self.get(key, kind, type(None))

    def one_of(self, key: str, choices: Sequence[str]) -> Any:
        """Return one of some texts."""
        text = self.text(key)
        if text not in choices:
            raise _wrong(self._of(key), text, f"one of {', '.join(map(repr, choices))}")
        return text

    def member(self, key: str, kind: type[_Choice]) -> _Choice:
        """Return a member of an enumeration."""
        return kind(self.one_of(key, [member.value for member in kind]))

    def object(self, key: str) -> JsonObject:
        """Return an object."""
        return JsonObject(self.get(key, dict), self._of(key))

    def items(self, key: str, item: Callable[[JsonObject], _T]) -> tuple[_T, ...]:
        """Return the items of a list, each read by a function."""
        values: list[Any] = self.get(key, list)
        return tuple(item(JsonObject(value, f"{self._of(key)}[{index}]")) for index, value in enumerate(values))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        values: list[Any] = self.get(key, list)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                path = f"{self._of(key)}[{index}]"
                raise _wrong(path, value, _NOUNS[str])
        return tuple(values)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """Return the keys of an object with their texts."""
        pairs = self.object(key)
        return tuple((name, pairs.text(name)) for name in self.get(key, dict))


def _wrong(path: str, value: object, noun: str) -> ValueError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
    msg = f"{path} is {shown}; it has to be {noun}"
    return ValueError(msg)

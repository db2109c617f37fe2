"""Shapes of JSON values: each writes one kind of value, and reads it back with a message for every fault."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pytest_delta_schema.diagnostics.escaping import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from enum import Enum

_SHOWN = 60
"""How many characters of a wrong value messages show."""


class FormFault(NamedTuple):
    """Why a JSON value cannot be read."""

    path: str
    """Where it is, such as ``columns[2].type``; ``""`` for the whole."""
    fact: str
    remedy: str


class Shape(Protocol):
    """One kind of value, and its form in JSON."""

    def write(self, value: Any) -> Any:
        """Return a value as JSON values."""
        ...

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the value that :meth:`write` has written; anything, if a fault was added."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonScalar:
    """A value that JSON has itself."""

    kinds: tuple[type, ...]
    noun: str

    def write(self, value: Any) -> Any:
        """Return the value."""
        return value

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the value, which must be of one of the types."""
        if type(value) not in self.kinds:
            faults.append(wrong(value, path, self.noun))
        return value


TEXT = JsonScalar(kinds=(str,), noun="a string")
FLAG = JsonScalar(kinds=(bool,), noun="true or false")
NUMBER = JsonScalar(kinds=(int,), noun="a whole number")
DECIMAL = JsonScalar(kinds=(float, int), noun="a number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    def write(self, value: Any) -> Any:
        """Return the value."""
        return value

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the value, which must be one of the words."""
        if value not in self.words:
            faults.append(wrong(value, path, words(self.words)))
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member of an enumeration, by its value."""

    of: type[Enum]

    def write(self, value: Any) -> Any:
        """Return the value of a member."""
        return value.value

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the member."""
        try:
            return self.of(value)
        except ValueError:
            faults.append(wrong(value, path, words(member.value for member in self.of)))
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """A value that is written as text."""

    text: Callable[[Any], str]
    parse: Callable[[str], Any]
    """Returns the value of a text; raises a ``ValueError`` if there is none."""
    noun: str
    """What the text is, with an example, for messages."""

    def write(self, value: Any) -> Any:
        """Return the text of a value."""
        return self.text(value)

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the value of a text."""
        try:
            if type(value) is str:
                return self.parse(value)
        except ValueError:
            pass
        faults.append(wrong(value, path, self.noun))
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nullable:
    """A value, or ``null``."""

    of: Shape

    def write(self, value: Any) -> Any:
        """Return a value as JSON values."""
        return None if value is None else self.of.write(value)

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the value."""
        return None if value is None else self.of.read(value, path, faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A tuple of values, as an array."""

    of: Shape
    minimum: int = 0

    def write(self, value: Any) -> Any:
        """Return the values as an array."""
        return [*map(self.of.write, value)]

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the values as a tuple."""
        if type(value) is not list:
            faults.append(wrong(value, path, "an array"))
            return ()
        if len(value) < self.minimum:
            faults.append(wrong(value, path, f"an array of at least {self.minimum}"))
        read = self.of.read
        return tuple([read(item, f"{path}[{index}]", faults) for index, item in enumerate(value)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """A read-only mapping, as an object."""

    values: Shape
    keys: Shape = TEXT

    def write(self, value: Any) -> Any:
        """Return the mapping as an object."""
        return {self.keys.write(key): self.values.write(item) for key, item in value.items()}

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the mapping."""
        if type(value) is not dict:
            faults.append(wrong(value, path, "an object"))
            return MappingProxyType({})
        read_key, read = self.keys.read, self.values.read
        entries = {read_key(key, path, faults): read(item, f"{path}[{key!r}]", faults) for key, item in value.items()}
        if len(entries) < len(value):
            faults.append(FormFault(path, "has two spellings of one key", "write one of them"))
        return MappingProxyType(entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A tuple of pairs with different first parts, as an object."""

    values: Shape

    def write(self, value: Any) -> Any:
        """Return the pairs as an object."""
        return {key: self.values.write(item) for key, item in value}

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the pairs."""
        return tuple(Entries(values=self.values).read(value, path, faults).items())


def wrong(value: Any, path: str, noun: str) -> FormFault:
    """Return the fault of a value that is not of its shape."""
    return FormFault(path, f"is {json_preview(value)}", f"write {noun}")


def words(texts: Iterable[str]) -> str:
    """Return texts as messages list them."""
    return " or ".join(f'"{word}"' for word in texts)


def json_preview(value: Any) -> str:
    """Return a value as messages show it."""
    return shortened(repr(value), _SHOWN)

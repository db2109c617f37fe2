"""Shapes of JSON values: each writes one kind of value, and reads it back with a message for every fault."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

REQUIRED: Any = object()
"""The default of a key that is never left out."""

_SHOWN = 60
"""How many characters of a wrong value messages show."""


class Fault(NamedTuple):
    """Why a JSON value cannot be read.

    Args:
        path: Where it is, such as ``columns[2].type``; ``""`` for the whole.
        fact: What is wrong there.
        remedy: What to write instead.
    """

    path: str
    fact: str
    remedy: str


class Shape(Protocol):
    """One kind of value, and its form in JSON."""

    def write(self, value: Any) -> Any:
        """Return a value as JSON values."""
        ...

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the value that :meth:`write` has written; anything, if a fault was added.

        Args:
            value: The JSON value.
            path: Where it is.
            faults: Gets what is wrong.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A value that JSON has itself.

    Args:
        kind: Its type.
        noun: What it is, for messages.
    """

    kind: type
    noun: str

    def write(self, value: Any) -> Any:
        """Return the value."""
        return value

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the value, which must be of this type."""
        if type(value) is not self.kind:
            faults.append(wrong(value, path, self.noun))
        return value


TEXT = Scalar(kind=str, noun="a string")
FLAG = Scalar(kind=bool, noun="true or false")
NUMBER = Scalar(kind=int, noun="a whole number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of some words.

    Args:
        words: The words.
    """

    words: tuple[str, ...]

    def write(self, value: Any) -> Any:
        """Return the value."""
        return value

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the value, which must be one of the words."""
        if value not in self.words:
            faults.append(wrong(value, path, _words(self.words)))
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """A value that is written as text.

    Args:
        text: Returns the text of a value.
        parse: Returns the value of a text; raises a ``ValueError`` if there is none.
        noun: What the text is, with an example, for messages.
    """

    text: Callable[[Any], str]
    parse: Callable[[str], Any]
    noun: str

    def write(self, value: Any) -> Any:
        """Return the text of a value."""
        return self.text(value)

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
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
    """A value, or ``null``.

    Args:
        of: The shape of the value.
    """

    of: Shape

    def write(self, value: Any) -> Any:
        """Return a value as JSON values."""
        return None if value is None else self.of.write(value)

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the value."""
        return None if value is None else self.of.read(value, path, faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A tuple of values, as an array.

    Args:
        of: The shape of each value.
    """

    of: Shape

    def write(self, value: Any) -> Any:
        """Return the values as an array."""
        return [*map(self.of.write, value)]

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the values as a tuple."""
        if type(value) is not list:
            faults.append(wrong(value, path, "an array"))
            return ()
        read = self.of.read
        return tuple([read(item, f"{path}[{index}]", faults) for index, item in enumerate(value)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """A read-only mapping, as an object.

    Args:
        values: The shape of each value.
        keys: The shape of each key, which is written as text.
    """

    values: Shape
    keys: Shape = TEXT

    def write(self, value: Any) -> Any:
        """Return the mapping as an object."""
        return {self.keys.write(key): self.values.write(item) for key, item in value.items()}

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the mapping."""
        if type(value) is not dict:
            faults.append(wrong(value, path, "an object"))
            return MappingProxyType({})
        read_key, read = self.keys.read, self.values.read
        entries = {read_key(key, path, faults): read(item, f"{path}[{key!r}]", faults) for key, item in value.items()}
        if len(entries) < len(value):
            faults.append(Fault(path, "has two spellings of one key", "write one of them"))
        return MappingProxyType(entries)


class Key(NamedTuple):
    """One key of a :class:`Record`.

    Args:
        name: The key in JSON.
        attribute: The attribute that it holds; with a dot the attribute of one that may be ``None``.
        shape: The shape of its value.
        default: The value for which the key is left out.
    """

    name: str
    attribute: str
    shape: Shape
    default: Any = REQUIRED


class Record:
    """A dataclass or a named tuple, as an object; keys at their default are left out.

    Args:
        of: The class.
        keys: Its keys, in order.
        build: Returns an object from the values of all keys; by default the class with the attributes.
    """

    __slots__ = ("_attributes", "_getters", "_names", "build", "keys", "of")

    def __init__(self, of: type, *keys: Key, build: Callable[..., Any] | None = None) -> None:
        self.of, self.keys, self.build = of, keys, build or of
        self._names = frozenset(key.name for key in keys)
        self._attributes = [key.attribute.rpartition(".")[2] for key in keys]
        self._getters = [(key.name, _getter(key.attribute), key.shape.write, key.default) for key in keys]

    def write(self, value: Any) -> Any:
        """Return an object as JSON values."""
        written = {}
        for name, get, write, default in self._getters:
            part = get(value)
            if part != default:
                written[name] = write(part)
        return written

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the object."""
        if type(value) is not dict:
            faults.append(wrong(value, path, "an object"))
            return None
        count = len(faults)
        if not self._names.issuperset(value):
            faults += [self._unknown(name, path) for name in value if name not in self._names]
        parts = {}
        for key, attribute in zip(self.keys, self._attributes, strict=True):
            if key.name in value:
                inner = f"{path}.{key.name}" if path else key.name
                parts[attribute] = key.shape.read(value[key.name], inner, faults)
            elif key.default is REQUIRED:
                faults.append(Fault(path, f"has no {key.name}", "add it"))
            else:
                parts[attribute] = key.default
        return self.build(**parts) if len(faults) == count else None

    def _unknown(self, name: str, path: str) -> Fault:
        near = get_close_matches(str(name), self._names, n=1)
        remedy = f"write {near[0]!r}" if near else f"remove it; keys are {', '.join(key.name for key in self.keys)}"
        return Fault(path, f"has the unknown key {_shown(name)}", remedy)


class Kinds:
    """Objects of several classes, told apart by one key.

    Args:
        key: The key.
        records: The shape of each class, by the value of the key.
        otherwise: What else a caller accepts in their place, for messages.
    """

    __slots__ = ("_by_class", "_noun", "key", "records")

    def __init__(self, key: str, records: Mapping[str, Record], otherwise: str = "") -> None:
        self.key, self.records = key, records
        objects = f'an object with "{key}": {_words(records)}'
        self._noun = f"{otherwise}, or {objects}" if otherwise else objects
        self._by_class = {record.of: ({key: kind}, record) for kind, record in records.items()}

    def write(self, value: Any) -> Any:
        """Return an object as JSON values."""
        kind, record = self._by_class[type(value)]
        return {**kind, **record.write(value)}

    def read(self, value: Any, path: str, faults: list[Fault]) -> Any:
        """Return the object."""
        kind = value.get(self.key) if type(value) is dict else None
        record = self.records.get(kind) if type(kind) is str else None
        if record is None:
            faults.append(wrong(value, path, self._noun))
            return None
        return record.read({name: part for name, part in value.items() if name != self.key}, path, faults)


def _getter(attribute: str) -> Callable[[Any], Any]:
    outer, _, inner = attribute.rpartition(".")
    if not outer:
        return attrgetter(inner)
    holder = attrgetter(outer)

    def get(value: Any) -> Any:
        part = holder(value)
        return None if part is None else getattr(part, inner)

    return get


def wrong(value: Any, path: str, noun: str) -> Fault:
    """Return the fault of a value that is not of its shape.

    Args:
        value: The value.
        path: Where it is.
        noun: What it should be.
    """
    return Fault(path, f"is {_shown(value)}", f"write {noun}")


def _words(words: Iterable[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."

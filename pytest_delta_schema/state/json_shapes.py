"""Shapes of JSON values: each writes one kind of value, and reads it back with a message for every fault."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic, JsonFormError
from pytest_delta_schema.diagnostics.text import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from enum import Enum

    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError


SQL_FILE = ".ddl.sql"
"""The end of the name of the file with the SQL that creates the table."""

STATE_FILE = ".state.json"
"""The end of the name of the file with its state, which is next to it."""


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
        return value

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the value that :meth:`write` has written; anything, if a fault was added."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonScalar(Shape):
    """A value that JSON has itself."""

    kinds: tuple[type, ...]
    noun: str

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
class Choice(Shape):
    """One of some words."""

    words: tuple[str, ...]

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
            faults.append(wrong(value, path, f"an array: [{value!r}]" if type(value) is str else "an array"))
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


def fault_of(error: DeltaSchemaError, path: str) -> FormFault:
    """Return the fault of a value that cannot be built."""
    fact, _, remedy = str(error).rpartition("; ")
    return FormFault(path, f"is invalid: {fact}", remedy)


def words(texts: Iterable[str]) -> str:
    """Return texts as messages list them."""
    return " or ".join(f'"{word}"' for word in texts)


def json_preview(value: Any) -> str:
    """Return a value as messages show it."""
    return shortened(repr(value), _SHOWN)


def json_text(values: Any, depth: int) -> str:
    """Return values as JSON in ASCII, with a line end; values below ``depth`` levels are on one line."""
    return f"{_indented(values, depth, chr(10))}\n"


def _indented(value: Any, depth: int, margin: str) -> str:
    # The indentation of json.dumps takes several times as long, because only Python code can do it (Python 3.13).
    if not depth or not value or not isinstance(value, (dict, list)):
        return json.dumps(value)
    inner = f"{margin} "
    if isinstance(value, list):
        return f"[{inner}{f',{inner}'.join([_indented(item, depth - 1, inner) for item in value])}{margin}]"
    items = [f"{json.dumps(key)}: {_indented(item, depth - 1, inner)}" for key, item in value.items()]
    return f"{{{inner}{f',{inner}'.join(items)}{margin}}}"


REQUIRED: Any = object()
"""The default of a key that is never left out."""

UPGRADE = "upgrade pytest-delta-schema"
"""What makes the text of a newer release readable."""


class Key(NamedTuple):
    """One key of a :class:`Record`."""

    name: str
    shape: Shape
    default: Any = REQUIRED
    """The value for which the key is left out."""
    attribute: str = ""
    """The attribute that it holds, if it has another name; with a dot the attribute of one that may be ``None``."""
    missing: str = "add it"
    """The remedy if it is required and not there."""


def required_keys(shape: Shape, *names: str) -> Iterator[Key]:
    """Yield required keys of one shape, each for the attribute of its name."""
    return (Key(name, shape) for name in names)


class Record:
    """A dataclass or a named tuple, as an object; keys at their default are left out."""

    __slots__ = ("_getters", "_names", "_readers", "build", "is_open", "keys", "of")

    def __init__(self, of: type, *keys: Key, build: Callable[..., Any] | None = None, is_open: bool = False) -> None:
        self.of, self.build, self.is_open = of, build or of, is_open
        self.keys = [key._replace(attribute=key.attribute or key.name) for key in keys]
        self._names = frozenset(key.name for key in self.keys)
        self._readers = [
            (key.name, key.attribute.rpartition(".")[2], key.shape.read, key.default, key.missing) for key in self.keys
        ]
        self._getters = [(key.name, _getter(key.attribute), key.shape.write, key.default) for key in self.keys]

    def write(self, value: Any) -> Any:
        """Return an object as JSON values."""
        written = {}
        for name, get, write, default in self._getters:
            part = get(value)
            if part != default:
                written[name] = write(part)
        return written

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the object."""
        if type(value) is not dict:
            faults.append(wrong(value, path, "an object"))
            return None
        count = len(faults)
        if not self.is_open and not self._names.issuperset(value):
            faults += [self._unknown(name, path) for name in value if name not in self._names]
        parts = {}
        for name, attribute, read, default, missing in self._readers:
            if name in value:
                parts[attribute] = read(value[name], f"{path}.{name}" if path else name, faults)
            elif default is REQUIRED:
                faults.append(FormFault(path, f"has no {name}", missing))
            else:
                parts[attribute] = default
        if len(faults) > count:
            return None
        try:
            return self.build(**parts)
        except DeclarationError as error:
            faults.append(fault_of(error, path))
            return None

    def _unknown(self, name: str, path: str) -> FormFault:
        near = get_close_matches(str(name), self._names, n=1)
        remedy = f"write {near[0]!r}" if near else f"remove it; keys are {', '.join(key.name for key in self.keys)}"
        return FormFault(path, f"has the unknown key {json_preview(name)}", remedy)


def open_record(of: type, *keys: Key, build: Callable[..., Any] | None = None) -> Record:
    """Return a record whose unknown keys are left out, so a new key does not change the version of a form."""
    return Record(of, *keys, build=build, is_open=True)


class Kinds:
    """Objects of several classes, told apart by one key; ``otherwise`` is what else messages propose."""

    __slots__ = ("_by_class", "_noun", "key", "records")

    def __init__(self, key: str, records: Mapping[str, Record], otherwise: str = "") -> None:
        self.key, self.records = key, records
        objects = f'an object with "{key}": {words(records)}'
        self._noun = f"{otherwise}, or {objects}" if otherwise else objects
        self._by_class = {record.of: ({key: kind}, record) for kind, record in records.items()}

    def write(self, value: Any) -> Any:
        """Return an object as JSON values."""
        kind, record = self._by_class[type(value)]
        return {**kind, **record.write(value)}

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the object."""
        kind = value.get(self.key) if type(value) is dict else None
        record = self.records.get(kind) if type(kind) is str else None
        if record is None:
            faults.append(wrong(value, path, self._noun))
            return None
        return record.read({name: part for name, part in value.items() if name != self.key}, path, faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """An object with a version, which is written to files."""

    version: int
    record: Record

    def write(self, value: Any) -> dict[str, Any]:
        """Return an object as JSON values."""
        return {"version": self.version, **self.record.write(value)}

    def read(self, values: object, subject: str) -> Any:
        """Return the object that :meth:`write` has written."""
        faults: list[FormFault] = []
        try:
            keys = self._keys(values, faults)
            value = None if faults else self.record.read(keys, "", faults)
        except RecursionError:
            faults = [FormFault("", "is nested too deeply", "write fewer levels")]
        if faults:
            raise JsonFormError(
                Diagnostic(table=subject, path=path, message=f"{path} {fact}".lstrip(), remedy=remedy)
                for path, fact, remedy in faults
            )
        return value

    def _keys(self, values: object, faults: list[FormFault]) -> dict[str, Any]:
        """Return the keys of an object whose version can be read, without the version."""
        if not isinstance(values, dict):
            faults.append(wrong(values, "", 'an object with a "version"'))
            return {}
        keys = dict(values)
        version = keys.pop("version", None)
        if type(version) is not int or version < 1:
            faults.append(FormFault("", "has no version", f'write "version": {self.version}'))
        elif version > self.version:
            fact = f"is of version {version}, and this release reads version {self.version}"
            faults.append(FormFault("", fact, UPGRADE))
        return keys


def _getter(attribute: str) -> Callable[[Any], Any]:
    outer, _, inner = attribute.rpartition(".")
    if not outer:
        return attrgetter(inner)
    holder = attrgetter(outer)

    def get(value: Any) -> Any:
        part = holder(value)
        return None if part is None else getattr(part, inner)

    return get

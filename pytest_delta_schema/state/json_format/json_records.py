"""Objects of JSON with known keys, objects of several kinds, and objects with a version."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic, JsonFormError
from pytest_delta_schema.state.json_format.json_shapes import FormFault, json_preview, words, wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_delta_schema.state.json_format.json_shapes import Shape

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


def required_keys(shape: Shape, *names: str) -> Iterator[Key]:
    """Yield required keys of one shape, each for the attribute of its name."""
    return (Key(name, shape) for name in names)


class Record:
    """A dataclass or a named tuple, as an object; keys at their default are left out.

    ``build`` returns an object from the values of all keys; by default the class with the attributes. If it
    ``is_open``, keys that are not known are left out when it is read; else they are faults.
    """

    __slots__ = ("_getters", "_names", "_readers", "build", "is_open", "keys", "of")

    def __init__(self, of: type, *keys: Key, build: Callable[..., Any] | None = None, is_open: bool = False) -> None:
        self.of, self.build, self.is_open = of, build or of, is_open
        self.keys = [key._replace(attribute=key.attribute or key.name) for key in keys]
        self._names = frozenset(key.name for key in self.keys)
        self._readers = [(key.name, key.attribute.rpartition(".")[2], key.shape.read, key.default) for key in self.keys]
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
        for name, attribute, read, default in self._readers:
            if name in value:
                parts[attribute] = read(value[name], f"{path}.{name}" if path else name, faults)
            elif default is REQUIRED:
                faults.append(FormFault(path, f"has no {name}", "add it"))
            else:
                parts[attribute] = default
        if len(faults) > count:
            return None
        try:
            return self.build(**parts)
        except DeclarationError as error:
            fact, _, remedy = str(error).rpartition("; ")
            faults.append(FormFault(path, f"is invalid: {fact}", remedy))
            return None

    def _unknown(self, name: str, path: str) -> FormFault:
        near = get_close_matches(str(name), self._names, n=1)
        remedy = f"write {near[0]!r}" if near else f"remove it; keys are {', '.join(key.name for key in self.keys)}"
        return FormFault(path, f"has the unknown key {json_preview(name)}", remedy)


def open_record(of: type, *keys: Key, build: Callable[..., Any] | None = None) -> Record:
    """Return a record whose unknown keys are left out, so a new key does not change the version of a form."""
    return Record(of, *keys, build=build, is_open=True)


class Kinds:
    """Objects of several classes, told apart by one key.

    ``otherwise`` is what else a caller accepts in their place, for messages.
    """

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
        """Return the object that :meth:`write` has written.

        The values are what ``json.loads`` has returned, and the subject is for messages.

        Raises:
            JsonFormError: If the values are of a higher version, or not of this form; with every fault.
        """
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

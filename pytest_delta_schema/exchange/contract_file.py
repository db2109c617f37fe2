"""A data contract as a file: plain values, the line of each of them, and what the standard's schema says of them."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    DataContractError,
    Diagnostic,
    Location,
    os_error_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ValuePath = tuple[str | int, ...]
"""Keys and positions that lead to a value: ``("schema", 0, "properties", 2, "required")``."""

VERSIONS = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0", "v3.2.0")
"""The versions of the standard that are read, the oldest first."""

SINCE = {
    "relationships": "v3.1.0",
    "timestamp": "v3.1.0",
    "time": "v3.1.0",
    "timezone": "v3.1.0",
    "deprecated": "v3.2.0",
    "enum": "v3.2.0",
    "map": "v3.2.0",
    "semanticType": "v3.2.0",
    "vector": "v3.2.0",
}
"""What the versions added of that which is read, by the changelog of the standard (read 2026-11-28)."""

_STANDARD = "open-data-contract-standard"
_DEEPEST = 100


class ContractFile(NamedTuple):
    """A data contract of the Open Data Contract Standard.

    Args:
        path: As it was given.
        values: The whole file; texts that look like days are texts.
        lines: The line of each value, counted from one.
    """

    path: str
    values: Mapping[str, Any]
    lines: Mapping[ValuePath, int]

    @property
    def version(self) -> str:
        """The version of the standard, such as ``v3.1.0``."""
        return str(self.values["apiVersion"])

    def has(self, word: str) -> bool:
        """Whether the version of the contract knows a field or a logical type."""
        return VERSIONS.index(self.version) >= VERSIONS.index(SINCE[word])

    def line(self, path: ValuePath) -> int:
        """Return the line of a value, or of the nearest one around it."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]

    def fault(self, path: ValuePath, fact: str, remedy: str) -> Diagnostic:
        """Return what is wrong with a value."""
        return _fault(self.path, self.line(path), f"{path_text(path)} {fact}" if path else fact, remedy)


def path_text(path: ValuePath) -> str:
    """Return a path for people: ``schema[0].properties[2].required``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def missing_extra() -> list[str]:
    """Return what to do if a package of the extra ``odcs`` is not installed."""
    names = {"yaml": "PyYAML", "jsonschema_rs": "jsonschema-rs", "open_data_contract_standard": _STANDARD}
    missing = ", ".join(package for name, package in names.items() if find_spec(name) is None)
    remedy = 'run: pip install "pytest-delta-schema[odcs]"'
    return [f"data contracts need {missing}; {remedy}"] if missing else []


def read_contract(path: str | Path, name: str = "") -> ContractFile:
    """Read a contract, and check it by the schema of the standard; messages call it by its name.

    Raises:
        DataContractError: If the file cannot be read, is not plain YAML, or does not follow the standard.
        BackendUnavailableError: If the extra ``odcs`` is not installed.
    """
    for missing in missing_extra():
        raise BackendUnavailableError(missing)
    name = name or str(path)
    text, reader = _text(Path(path), name), _Reader(name)
    contract = ContractFile(name, reader.values(text), reader.lines)
    faults = reader.faults or [*_faults(contract)]
    if faults:
        raise DataContractError(faults)
    return contract


def _text(file: Path, path: str) -> str:
    try:
        content = file.read_bytes()
    except OSError as error:
        fact, remedy = f"cannot be read: {error.strerror or os_error_text(error)}", "name a data contract"
        raise DataContractError([_fault(path, None, fact, remedy)]) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        fault = _fault(path, line, f"is not UTF-8: {error.reason} at byte {error.start}", "convert it to UTF-8")
        raise DataContractError([fault]) from None


def _fault(path: str, line: int | None, fact: str, remedy: str) -> Diagnostic:
    location = None if line is None else Location(path, line)
    return Diagnostic(table=path if line is None else f"{path}:{line}", message=fact, remedy=remedy, location=location)


class _Open(NamedTuple):
    """A mapping or a list whose end was not read yet, and the keys that wait for a value."""

    value: Any
    path: ValuePath
    keys: list[str]


class _Reader:
    """Reads the events of a parser; no tree is composed, because libyaml's overflows the stack for deep nesting."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._root: list[Any] = []
        self._opened = [_Open(self._root, (), [])]
        self.lines: dict[ValuePath, int] = {(): 1}
        self.faults: list[Diagnostic] = []

    def values(self, text: str) -> Mapping[str, Any]:
        """Return the mapping that a file has; what else it has is a fault."""
        import yaml  # noqa: PLC0415 - extra

        try:
            for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                if isinstance(event, yaml.NodeEvent):
                    if not self._node(event):
                        break
                elif isinstance(event, yaml.CollectionEndEvent):
                    self._opened.pop()
                elif isinstance(event, yaml.DocumentStartEvent) and self._root:
                    self._refuse(event, "has a second document", "write one contract a file")
                    break
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            has_tab = "\t" in text.split("\n")[mark.line]
            fact = "is indented by a tab" if has_tab else f"is not YAML: {error.problem or error.context}"
            self._refuse_line(mark.line + 1, fact, "write spaces" if has_tab else "correct it")
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, text.find(chr(error.character))) + 1
            self._refuse_line(
                line, f"has the character #x{error.character:04x}, which YAML does not allow", "remove it"
            )
        if not self.faults and not (self._root and isinstance(self._root[0], dict)):
            self._refuse_line(1, "has no mapping at its top", "write apiVersion, kind, id, version and schema")
        return self._root[0] if self._root and not self.faults else {}

    def _node(self, event: Any) -> bool:
        """Take a value or a key; return whether more can be read."""
        parent = self._opened[-1]
        if event.anchor is not None:
            self._refuse(event, f"has the anchor or alias {event.anchor}", "write the value where it is needed")
        elif getattr(event, "tag", None) not in {None, "!"}:
            self._refuse(event, f"has the tag {event.tag}", "write a plain value")
        is_scalar = hasattr(event, "value")
        if isinstance(parent.value, dict) and not parent.keys:
            self._key(event, parent)
            return is_scalar
        if is_scalar:
            self._place(_scalar(event), event, parent)
            return True
        if len(self._opened) > _DEEPEST or not hasattr(event, "implicit"):
            if not self.faults:
                self._refuse(event, f"is nested more than {_DEEPEST} deep", "name the type in physicalType")
            return False
        value: Any = {} if type(event).__name__ == "MappingStartEvent" else []
        self._opened.append(_Open(value, self._place(value, event, parent), []))
        return True

    def _key(self, event: Any, parent: _Open) -> None:
        key = getattr(event, "value", "")
        where = (*parent.path, key)
        if not hasattr(event, "value") or not isinstance(_scalar(event), str):
            self._refuse(event, "has a key that is no text", "write a plain word")
        elif key == "<<":
            self._refuse(event, "merges another mapping", "write its entries")
        elif key in parent.value:
            self._refuse(event, f"has the key {key} twice, first in line {self.lines[where]}", "remove one of the two")
        parent.keys.append(key)
        self.lines[where] = event.start_mark.line + 1

    def _place(self, value: Any, event: Any, parent: _Open) -> ValuePath:
        if isinstance(parent.value, dict):
            key = parent.keys.pop()
            parent.value[key] = value
            return (*parent.path, key)
        parent.value.append(value)
        if parent.value is self._root:
            return ()
        where = (*parent.path, len(parent.value) - 1)
        self.lines[where] = event.start_mark.line + 1
        return where

    def _refuse(self, event: Any, fact: str, remedy: str) -> None:
        self._refuse_line(event.start_mark.line + 1, fact, remedy)

    def _refuse_line(self, line: int, fact: str, remedy: str) -> None:
        self.faults.append(_fault(self._path, line, fact, remedy))


def _scalar(event: Any) -> Any:
    """Return the value of a scalar; a day stays the text that it is."""
    return _plain(event.value) if event.implicit[0] else event.value


@lru_cache(maxsize=4096)
def _plain(text: str) -> Any:
    """Return the value of a text without quotes, as YAML 1.1 reads it."""
    import yaml  # noqa: PLC0415 - extra

    tag = yaml.resolver.Resolver().resolve(yaml.ScalarNode, text, (True, False)).rpartition(":")[2]
    if tag in {"null", "bool", "int", "float"}:
        try:
            return getattr(yaml.constructor.SafeConstructor(), f"construct_yaml_{tag}")(yaml.ScalarNode(tag, text))
        except ValueError:  # a number that Python refuses, such as one of 5,000 digits
            return text
    return text


def _faults(contract: ContractFile) -> Iterator[Diagnostic]:
    """Yield where a contract does not follow the standard in the version that it names."""
    version = contract.values.get("apiVersion")
    if version not in VERSIONS:
        fact = "is missing" if version is None else f"is {version}"
        path: ValuePath = ("apiVersion",) if version is not None else ()
        subject = "" if version is not None else "apiVersion "
        yield contract.fault(path, f"{subject}{fact}", f"write one of {', '.join(VERSIONS)}")
        return
    errors = {(tuple(error.instance_path), error.message): error for error in _validator().iter_errors(contract.values)}
    # A field with a fault inside is called unexpected, too, at each level around it.
    inside = {where[:length] for where, _ in errors for length in range(len(where) + 1)}
    for (where, message), error in errors.items():
        fields = [field for field in getattr(error.kind, "unexpected", ()) if (*where, field) not in inside]
        if contract.has("relationships"):
            for field in fields:
                yield contract.fault((*where, field), f"is not a field of {contract.version}", "remove it")
        if not hasattr(error.kind, "unexpected") and not _was_allowed(contract, where):
            # Without quotes, no and 1.0 are no texts.
            is_no_text = message.endswith('"string"') and not isinstance(error.instance, (dict, list))
            remedy = "write it in quotes" if is_no_text else "correct it"
            yield contract.fault(where, f"breaks the standard: {message}", remedy)
    yield from _too_new(contract)


def _was_allowed(contract: ContractFile, where: ValuePath) -> bool:
    """Whether the first versions allowed what the schema, that of the newest version, refuses.

    They took further fields everywhere, ``true`` for ``exclusiveMinimum`` and ``exclusiveMaximum``, and other rules of
    quality; what else they had in sections that are not read is not known.
    """
    if contract.has("relationships"):
        return False
    is_read = where[:1] in {(), ("servers",), ("schema",)} and "quality" not in where
    return not is_read or where[-1:] in {("exclusiveMinimum",), ("exclusiveMaximum",)}


def _too_new(contract: ContractFile) -> Iterator[Diagnostic]:
    """Yield the fields and logical types that a newer version brought, where additions were refused already."""
    if not contract.has("relationships"):
        return
    for path in contract.lines:
        word = path[-1] if path else ""
        value = _at(contract.values, path) if word == "logicalType" else word
        if path[:1] == ("schema",) and value in SINCE and not contract.has(value) and "customProperties" not in path:
            fact = f"came with {SINCE[value]}, and apiVersion is {contract.version}"
            yield contract.fault(path, fact, f"write apiVersion: {SINCE[value]}")


def _at(values: Any, path: ValuePath) -> Any:
    for part in path:
        values = values[part]
    return values


@lru_cache(maxsize=1)
def _validator() -> Any:
    """Return the validator of the standard, which shows no values of a file; only the schema of its package is read."""
    import jsonschema_rs  # noqa: PLC0415 - extra

    spec = find_spec("open_data_contract_standard")
    folder = Path((spec.submodule_search_locations or [""])[0]) if spec is not None else Path()
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    for rule in schema["$defs"]["SchemaBaseProperty"]["allOf"]:
        # Version 3.2.0 of the schema wants a map of every property without a logical type, which its text does not.
        if rule.get("then", {}).get("required") == ["map"]:
            rule["then"] |= {"if": {"required": ["logicalType"]}, "then": {"required": rule["then"].pop("required")}}
    return jsonschema_rs.validator_for(schema, mask="this value")

"""A data contract as a file: plain values, the line of each of them, and what the standard's schema says of them."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

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
        lines: For each mapping and list, by its ``id``, the lines of what it has, counted from one.
    """

    path: str
    values: Mapping[str, Any]
    lines: Mapping[int, Mapping[str, int] | list[int]]

    @property
    def version(self) -> str:
        """The version of the standard, such as ``v3.1.0``."""
        return str(self.values["apiVersion"])

    def has(self, word: str) -> bool:
        """Whether the version of the contract knows a field or a logical type."""
        return VERSIONS.index(self.version) >= VERSIONS.index(SINCE[word])

    def line(self, path: ValuePath) -> int:
        """Return the line of a value, or of the nearest one around it."""
        line, values = 1, cast("Any", self.values)
        for part in path:
            lines = cast("Any", self.lines[id(values)])
            if isinstance(lines, dict) and part not in lines:
                break
            line, values = lines[part], values[part]
        return line

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


class _Open:
    """A mapping or a list whose end was not read yet, the lines of what it has, and the key that waits for a value."""

    __slots__ = ("key", "lines", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.lines: Any = {} if isinstance(value, dict) else []
        self.key: str | None = None


class _Reader:
    """Reads the events of a parser; no tree is composed, because libyaml's overflows the stack for deep nesting."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.lines: dict[int, Any] = {}
        self.faults: list[Diagnostic] = []

    def values(self, text: str) -> Mapping[str, Any]:
        """Return the mapping that a file has; what else it has is a fault."""
        import yaml  # noqa: PLC0415 - extra

        root: list[Any] = []
        try:
            self._read(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)), root)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            has_tab = "\t" in text.split("\n")[mark.line]
            fact = "is indented by a tab" if has_tab else f"is not YAML: {error.problem or error.context}"
            remedy = "write spaces" if has_tab else "correct it"
            self.faults.append(_fault(self._path, mark.line + 1, fact, remedy))
        except yaml.reader.ReaderError as error:
            fact = f"has the character #x{error.character:04x}, which YAML does not allow"
            line = text.count("\n", 0, text.find(chr(error.character))) + 1
            self.faults.append(_fault(self._path, line, fact, "remove it"))
        if not self.faults and not (root and isinstance(root[0], dict)):
            fact, remedy = "has no mapping at its top", "write apiVersion, kind, id, version and schema"
            self.faults.append(_fault(self._path, 1, fact, remedy))
        return {} if self.faults else root[0]

    def _read(self, events: Iterator[Any], root: list[Any]) -> None:
        parent = _Open(root)
        around: list[_Open] = []
        for event in events:
            kind = type(event).__name__
            if kind == "ScalarEvent":
                if event.anchor is not None or event.tag is not None:
                    self._refuse_marked(event)
                if parent.key is None and type(parent.value) is dict:
                    self._open_key(event, parent)
                else:
                    _place(_scalar(event), event, parent)
            elif kind in {"MappingEndEvent", "SequenceEndEvent"}:
                parent = around.pop()
            elif kind in {"MappingStartEvent", "SequenceStartEvent", "AliasEvent"}:
                if not self._can_begin(event, parent, len(around)):
                    return
                value: Any = {"MappingStartEvent": {}, "SequenceStartEvent": []}.get(kind)
                _place(value, event, parent)
                if value is not None:
                    around.append(parent)
                    parent = _Open(value)
                    self.lines[id(value)] = parent.lines
            elif kind == "DocumentStartEvent" and root:
                self._refuse(event, "has a second document", "write one contract a file")
                return

    def _can_begin(self, event: Any, parent: _Open, depth: int) -> bool:
        self._refuse_marked(event)
        if parent.key is None and type(parent.value) is dict:
            self._refuse(event, "has a key that is no text", "write a plain word")
            return False
        if depth == _DEEPEST:
            self._refuse(event, f"is nested more than {_DEEPEST} deep", "name the type in physicalType")
            return False
        return True

    def _open_key(self, event: Any, parent: _Open) -> None:
        key = parent.key = event.value
        if not isinstance(_scalar(event), str):
            self._refuse(event, "has a key that is no text", "write a plain word")
        elif key == "<<":
            self._refuse(event, "merges another mapping", "write its entries")
        elif key in parent.value:
            fact = f"has the key {key} twice, first in line {parent.lines[key]}"
            self._refuse(event, fact, "remove one of the two")
        parent.lines[key] = event.start_mark.line + 1

    def _refuse_marked(self, event: Any) -> None:
        if event.anchor is not None:
            self._refuse(event, f"has the anchor or alias {event.anchor}", "write the value where it is needed")
        elif event.tag not in {None, "!"}:
            self._refuse(event, f"has the tag {event.tag}", "write a plain value")

    def _refuse(self, event: Any, fact: str, remedy: str) -> None:
        self.faults.append(_fault(self._path, event.start_mark.line + 1, fact, remedy))


def _place(value: Any, event: Any, parent: _Open) -> None:
    if parent.key is not None:
        parent.value[parent.key] = value
        parent.key = None
    else:
        parent.value.append(value)
        parent.lines.append(event.start_mark.line + 1)


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
    validator = _validator()
    found = [] if validator.is_valid(contract.values) else validator.iter_errors(contract.values)
    errors = {(tuple(error.instance_path), error.message): error for error in found}
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
    if contract.version == VERSIONS[-1] or not contract.has("relationships"):
        return
    for path, value in _below(contract.values.get("schema"), ("schema",)):
        word = value if path[-1] == "logicalType" else path[-1]
        if isinstance(word, str) and word in SINCE and not contract.has(word):
            fact = f"came with {SINCE[word]}, and apiVersion is {contract.version}"
            yield contract.fault(path, fact, f"write apiVersion: {SINCE[word]}")


def _below(values: Any, path: ValuePath) -> Iterator[tuple[ValuePath, Any]]:
    """Yield the values at all depths below one, but for what is in ``customProperties``."""
    entries = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    for part, value in entries:
        if part != "customProperties":
            yield (*path, part), value
            yield from _below(value, (*path, part))


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

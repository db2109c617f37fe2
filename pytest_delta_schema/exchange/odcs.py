"""Models from data contracts of the Open Data Contract Standard (ODCS)."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_delta_schema.delta.names import ELEMENT, KEY, VALUE, ColumnPath, folded, split_path
from pytest_delta_schema.diagnostics.errors import DataContractError, DeclarationError, Diagnostic
from pytest_delta_schema.exchange.contract_file import read_contract
from pytest_delta_schema.exchange.definitions import TableDraft
from pytest_delta_schema.models.arguments import kind_fault, refuse
from pytest_delta_schema.models.names import folded_name
from pytest_delta_schema.models.types import parse_type
from pytest_delta_schema.progress import LOGGER
from pytest_delta_schema.sql.quoting import literal, path_sql
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.states import UNIQUE, CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.state.types import (
    ArrayState,
    ColumnState,
    MapState,
    StructState,
    children,
    plain,
    with_children,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_delta_schema.exchange.contract_file import ContractFile, ValuePath
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.types import DataTypeState

_LOG = logging.getLogger(LOGGER)

_NO_TABLES = ("topic", "file", "document", "view")
"""What an object may be, by its ``physicalType``, that no model creates."""

_PROPOSALS = {
    "string": "string",
    "date": "date",
    "timestamp": "timestamp",
    "time": "string",
    "number": "double, or decimal(18,2)",
    "integer": "bigint",
    "boolean": "boolean",
    "object": "struct<...>, or give its properties",
    "array": "array<...>, or give its items",
    "vector": "array<float>",
}
"""What is proposed for a logical type; nothing is guessed."""

FORMATS = {
    "i8": "tinyint",
    "i16": "smallint",
    "i32": "int",
    "i64": "bigint",
    "i128": "decimal(38,0)",
    "u8": "smallint",
    "u16": "int",
    "u32": "bigint",
    "u64": "decimal(20,0)",
    "u128": "decimal(38,0)",
    "f32": "float",
    "f64": "double",
}
"""The smallest type that holds each format of numbers."""

_LIMITS = {
    "minimum": "{column} >= {limit}",
    "maximum": "{column} <= {limit}",
    "exclusiveMinimum": "{column} > {limit}",
    "exclusiveMaximum": "{column} < {limit}",
    "multipleOf": "{column} % {limit} = 0",
    "minLength": "length({column}) >= {limit}",
    "maxLength": "length({column}) <= {limit}",
}
"""The options of logical types that are CHECK constraints."""

_PARTS = {"items", "map", "properties"}
"""The fields of a property that say what a nested type is made of."""

_WITH_LIMITS = {"deprecated", "enum", "logicalTypeOptions", *_PARTS}
"""The fields of a property that can limit its values, or those of its parts."""

_KINDS = ("array", "map", "object", "struct")
"""Physical types that say no more than the logical type does; the parts of the property say what it is."""

_BARE = re.compile(r"\bstruct\b(?!\s*<)", re.IGNORECASE)
_SIZED = re.compile(r"(?:var)?char\((\d+)\)")


def from_odcs(path: str | Path, *, server: str | None = None) -> list[Table]:
    """Return the models of the tables that a data contract describes.

    Read are contracts of the versions 3.0.0 to 3.2.0 in plain YAML: names, physical types, ``required``, keys,
    partitions, relationships, descriptions, values that are allowed, and limits of numbers, days and lengths. What has
    no meaning in a model, or would have to be guessed, such as the day of a deprecation, is logged as a warning.

    Args:
        path: The file.
        server: The name of the server whose catalog and schema the tables are in; needed only if the servers of the
            contract have different ones.

    Returns:
        The models, in the order of the contract.

    Raises:
        DataContractError: If the file is no contract, a property has no physical type, or something contradicts
            something else: with a diagnostic for each, by file and line.
        BackendUnavailableError: If the extra ``odcs`` is not installed.
        DeclarationError: If an argument is of the wrong kind.
    """
    if server is not None and not isinstance(server, str):
        refuse(kind_fault("from_odcs: server", "a string", server, "give the name of a server of the contract"))
    tables, remarks = read_tables(path, server)
    for remark in remarks:
        _LOG.warning("%s", remark)
    return tables


def read_tables(
    path: str | Path, server: str | None = None, catalog_name: str = "", schema_name: str = ""
) -> tuple[list[Table], tuple[Diagnostic, ...]]:
    """Return the models of a contract, and notes; see :func:`from_odcs`. The names are for a contract without any."""
    contract = read_contract(path)
    place = place_of(contract, server)
    reading = ContractReading(contract, place[0] or catalog_name, place[1] or schema_name)
    models = []
    for where, draft in [*reading.drafts()]:
        try:
            models.append(draft.model())
        except DeclarationError as error:
            fact, _, remedy = str(error).rpartition("; ")
            reading.faults.append(contract.fault(where, f"cannot be a model: {fact}", remedy))
    if reading.faults:
        raise DataContractError(reading.faults)
    return models, tuple(reading.remarks)


def place_of(contract: ContractFile, server: str | None = None, targets: Collection[str] = ()) -> tuple[str, str]:
    """Return the catalog and the schema that the servers of a contract name.

    Of different ones, that of a server is taken, or the only one that bindings map to: ``prod``, or ``prod.silver``.
    """
    servers = contract.values.get("servers") or []
    if server is not None and server not in [found["server"] for found in servers]:
        names = ", ".join(found["server"] for found in servers) or "none"
        fault = contract.fault(("servers",), f"has no server {server}; there are: {names}", "name one of them")
        raise DataContractError([fault])
    places = {
        (found.get("catalog") or "", found.get("schema") or ""): found["server"]
        for found in reversed(servers)
        if server in {None, found["server"]} and (found.get("catalog") or found.get("schema"))
    }
    bound = {place: name for place, name in places.items() if {place[0], ".".join(place)} & {*map(folded, targets)}}
    places = bound if len(bound) == 1 else places
    if len(places) > 1:
        listed = ", ".join(sorted(f"{name} ({'.'.join(place)})" for place, name in places.items()))
        fact, remedy = f"names different places: {listed}", "say which: from_odcs(..., server=NAME), or bind to it"
        raise DataContractError([contract.fault(("servers",), fact, remedy)])
    return next(iter(places), ("", ""))


class Element(NamedTuple):
    """An object, a property, or the items, key or value of one."""

    values: Mapping[str, Any]
    path: ValuePath

    @property
    def name(self) -> str:
        """The name in the catalog."""
        return str(self.values.get("physicalName") or self.values.get("name") or "")

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of its logical type."""
        return self.values.get("logicalTypeOptions") or {}

    def listed(self, field: str) -> list[Element]:
        """Return the elements of a list."""
        found = self.values.get(field) or []
        return [Element(values, (*self.path, field, index)) for index, values in enumerate(found)]

    def parts(self) -> Iterator[tuple[str, Element]]:
        """Yield what a nested type is made of: fields, the element of an array, the key and the value of a map."""
        if self.values.keys().isdisjoint(_PARTS):
            return
        for found in self.listed("properties"):
            yield found.name, found
        if self.values.get("items"):
            yield ELEMENT, Element(self.values["items"], (*self.path, "items"))
        for name, field in ((KEY, "key"), (VALUE, "value")) if self.values.get("map") else ():
            yield name, Element(self.values["map"][field], (*self.path, "map", field))


class ContractReading:
    """Reads the objects of a contract as tables; faults and remarks are collected."""

    def __init__(self, contract: ContractFile, catalog: str, schema: str) -> None:
        self.contract = contract
        self._place = (catalog, schema)
        self.faults: list[Diagnostic] = []
        self.remarks: list[Diagnostic] = []
        self._has_model = False
        self.places: dict[str, Element] = {}
        """What is said of each part of the tables that were read, such as ``columns.id`` or ``checks.id_minimum``."""
        self._objects = Element(contract.values, ()).listed("schema")
        self._names = {found.path: self._name(found) for found in self._objects if _is_table(found)}

        self.tables = [(name, found) for found in self._objects if (name := self._names.get(found.path)) is not None]
        """The tables whose names are known, each time that one is described."""
        self._described = {name for name, _ in self.tables}

    def is_described(self, name: QualifiedName) -> bool:
        """Whether the contract has a table of a name."""
        return name in self._described

    def drafts(self) -> Iterator[tuple[ValuePath, TableDraft]]:
        """Yield the tables, and where they are described."""
        seen: dict[QualifiedName, Element] = {}
        for found in self._objects:
            name = self._names.get(found.path)
            if not _is_table(found):
                self._remark(found, found.name, f"is a {found.values['physicalType']}, and not a table")
            elif name is not None and name in seen:
                first = self.contract.line(seen[name].path)
                self._fault(found, f"is {name}, as the object in line {first}", "describe a table once")
            elif name is not None:
                seen[name] = found
                yield found.path, self.draft(found, name)

    def _name(self, found: Element) -> QualifiedName | None:
        parts = [part.name for part in split_path(found.name)]
        whole = [*self._place[: 3 - len(parts)], *parts]
        if len(whole) != 3 or not all(whole):  # noqa: PLR2004 - catalog, schema and table
            fact = f"is {found.name}, and no server names its catalog and schema"
            self._fault(found, fact, "add a server that does, or write physicalName: catalog.schema.table")
            return None
        return folded_name(*whole)

    def draft(self, found: Element, name: QualifiedName, stored: Sequence[ColumnState] = ()) -> TableDraft:
        """Return a table; what the contract leaves open is as in the columns of a model, if there are any."""
        self.places, self._has_model = {}, bool(stored)
        known = {folded(column.name): column for column in stored}
        properties = found.listed("properties")
        if not properties:
            self._fault(found, "has no properties", "describe the columns of the table")
        for column in self._repeated(found):
            self._fault(column, f"is {column.name}, as another property there", "describe it once")
        draft = TableDraft(
            name,
            tuple(self._column(column, known.get(folded(column.name))) for column in properties),
            found.values.get("description") or "",
            partitioning=self._ordered(properties, "partitioned", "partitionKeyPosition"),
        )
        primary = self._ordered(properties, "primaryKey", "primaryKeyPosition")
        if primary:
            draft.keys.append(KeyState("", primary))
        draft.keys.extend(
            KeyState("", (column.name,), kind=UNIQUE)
            for column in properties
            if column.values.get("unique") and primary != (column.name,)
        )
        draft.require_primary_key()
        draft.keys.extend(self._foreign_keys(found, properties, str(name)))
        for column, state in zip(properties, draft.columns, strict=True):
            draft.checks.extend(self._checks(column, ColumnPath(column.name), state.data_type, str(name)))
        if found.values.get("deprecated"):
            self._remark(found, str(name), "is deprecated, and not since when; declare deprecated=Deprecated(since)")
        return draft

    def _ordered(self, properties: list[Element], flag: str, field: str) -> tuple[str, ...]:
        """Return the names of the properties with a flag, by their positions, or in the order of the file."""
        chosen = [found for found in properties if found.values.get(flag)]
        positions = [found.values.get(field, -1) for found in chosen]
        given = [position for position in positions if position > 0]
        if given and (len(given) < len(chosen) or len({*given}) < len(given)):
            self._fault(chosen[0], f"and others have no different values of {field}", "write 1, 2 and so on")
        return tuple(found.name for _, found in sorted(zip(positions, chosen, strict=True), key=lambda pair: pair[0]))

    def _repeated(self, found: Element) -> Iterator[Element]:
        """Yield each property, at every depth, of whose name there is one before it."""
        seen: set[str] = set()
        for name, part in found.parts():
            if folded(name) in seen:
                yield part
            seen.add(folded(name))
            yield from self._repeated(part)

    def _column(self, found: Element, stored: ColumnState | None = None) -> ColumnState:
        """Return a column, or a field, which may be NULL unless it is required."""
        data_type = self._type(found, None if stored is None else stored.data_type)
        return ColumnState(
            found.name, data_type, not found.values.get("required"), found.values.get("description") or ""
        )

    def _type(self, found: Element, stored: DataTypeState | None) -> DataTypeState:
        """Return the physical type of a property, or what its parts are, or what its logical type allows."""
        written = found.values.get("physicalType")
        if written is not None and folded(written) not in _KINDS:
            return self._refined(self._physical(found, written), found, stored)
        known = {} if stored is None else {folded(part.name): part for part in children(stored)}
        parts = {name: self._column(part, known.get(folded(name))) for name, part in found.parts()}
        if ELEMENT in parts:
            return ArrayState(parts[ELEMENT].data_type, parts[ELEMENT].is_nullable)
        if KEY in parts:
            return MapState(parts[KEY].data_type, parts[VALUE].data_type, parts[VALUE].is_nullable)
        if parts:
            return StructState(tuple(parts.values()))
        logical = found.values.get("logicalType")
        if stored is not None:
            return allowed_type(found, stored, self.contract)
        if not self._has_model:
            proposal = FORMATS.get(found.options.get("format", ""), _PROPOSALS.get(logical or "", "string"))
            self._fault(found, "has no physicalType", f"write the type of the column, such as physicalType: {proposal}")
        return logical or "any type"

    def _physical(self, found: Element, written: str) -> DataTypeState:
        try:
            return _read_type(written)
        except (RecursionError, ValueError) as error:
            self._fault(found, f"is {written}, which is not a Spark type: {error}", "correct it", "physicalType")
            return "string"

    def _refined(self, given: DataTypeState, found: Element, stored: DataTypeState | None) -> DataTypeState:
        """Return a physical type with what the parts of the property say of NULL and of comments."""
        known = {} if stored is None else {folded(part.name): part for part in children(stored)}
        if given == StructState(()):
            return StructState(tuple(self._column(part, known.get(folded(name))) for name, part in found.parts()))
        parts = {folded(part.name): part for part in children(given)}
        for name, part in found.parts():
            state = parts.get(folded(name))
            if state is None:
                fact = f"is {name}, which is not a part of the physicalType in line {self.contract.line(found.path)}"
                self._fault(part, fact, "correct one of the two")
                continue
            written = part.values.get("physicalType")
            if (
                written is not None
                and folded(written) not in _KINDS
                and plain(self._physical(part, written)) != plain(state.data_type)
            ):
                self._fault(part, f"is {written}, and not as in the type around it", "correct one", "physicalType")
            other = known.get(folded(name))
            parts[folded(name)] = state._replace(
                data_type=self._refined(state.data_type, part, None if other is None else other.data_type),
                is_nullable=state.is_nullable and not part.values.get("required"),
                comment=part.values.get("description") or state.comment,
            )
        return with_children(given, tuple(parts.values())) if parts else given

    def _foreign_keys(self, found: Element, properties: list[Element], table: str) -> Iterator[ForeignKeyState]:
        implicit = [(relation, [column.name]) for column in properties for relation in column.listed("relationships")]
        for relation, columns in [*implicit, *((relation, []) for relation in found.listed("relationships"))]:
            sources = [self._target(source, relation, table) for source in _texts(relation.values.get("from"))]
            targets = [self._target(target, relation, table) for target in _texts(relation.values["to"])]
            if None in sources or None in targets:
                continue
            own = columns or [column for _, column in filter(None, sources)]
            tables = {parent for parent, _ in filter(None, targets)}
            if (
                len(own) != len(targets)
                or len(tables) != 1
                or {name for name, _ in filter(None, sources)} - {self._names[found.path]}
            ):
                self._fault(relation, "joins other tables, or lists of another length", "write as many columns in both")
                continue
            yield ForeignKeyState("", tuple(own), tables.pop(), tuple(column for _, column in filter(None, targets)))

    def _target(self, text: str, relation: Element, table: str) -> tuple[QualifiedName, str] | None:
        """Return the table and the column that a reference names: ``orders.id``, or ``schema/ORDERS/properties/ID``."""
        if "#" in text:
            self._remark(relation, table, f"references {text} of another contract; declare the foreign key")
            return None
        by_id = "/" in text
        steps = text.strip("/").split("/")[1::2] if by_id else text.split(".")
        field = "id" if by_id else "name"
        parent = next((found for found in self._objects if found.values.get(field) == steps[0]), None)
        columns = parent.listed("properties") if parent is not None else []
        column = next((found for found in columns if found.values.get(field) == steps[1]), None) if steps[1:] else None
        if parent is None or column is None:
            self._remark(relation, table, f"references {text}, which the contract does not have")
            return None
        name = self._names.get(parent.path)
        if len(steps) > 2 or name is None:  # noqa: PLR2004 - the table and its column
            self._remark(relation, table, f"references {text}, which no foreign key can")
            return None
        return name, column.name

    def _checks(self, found: Element, path: ColumnPath, data_type: DataTypeState, table: str) -> Iterator[CheckState]:
        """Yield what a property says of its values, as conditions; what is no condition is a remark."""
        self.places[f"columns.{path.text}"] = found
        if not found.values.keys() & _WITH_LIMITS:
            return
        prefix = re.sub(r"\W+", "_", folded("_".join(path.parts)))
        said = dict(self._conditions(found, path_sql(path), data_type, table))
        for option, expression in said.items():
            check = CheckState(f"{prefix}_{folded(option)}", expression)
            self.places[f"checks.{check.name}"] = found
            yield check
        if found.values.get("deprecated"):
            self._remark(found, table, "is deprecated, and not since when; declare deprecated=Deprecated(since)")
        for name, part in found.parts():
            state = {folded(state.name): state for state in children(data_type)}.get(folded(name))
            if isinstance(data_type, StructState) and state is not None:
                yield from self._checks(part, ColumnPath(*path.parts, name), state.data_type, table)
            elif part.values.get("enum") or part.options:
                self._remark(part, table, "limits the parts of arrays or maps, which no CHECK can")

    def _conditions(
        self, found: Element, column: str, data_type: DataTypeState, table: str
    ) -> Iterator[tuple[str, str]]:
        values = [entry["value"] for entry in found.values.get("enum") or () if entry["value"] is not None]
        if values:
            yield "enum", f"{column} IN ({', '.join(map(_constant, values))})"
        length = _SIZED.fullmatch(str(data_type))
        for option, limit in found.options.items():
            if option in _LIMITS and _can_be_compared(data_type, limit):
                if option != "maxLength" or length is None or int(length[1]) > limit:
                    text = f"DATE{_constant(limit)}" if data_type == "date" else _constant(limit)
                    yield option, _LIMITS[option].format(column=column, limit=text)
            elif option not in {"format", "timezone", "defaultTimezone"}:
                self._remark(found, table, f"has {option}, which the model does not declare")

    def _fault(self, found: Element, fact: str, remedy: str, field: str = "") -> None:
        path = (*found.path, field) if field else found.path
        self.faults.append(self.contract.fault(path, fact, remedy))

    def _remark(self, found: Element, table: str, fact: str) -> None:
        fault = self.contract.fault(found.path, fact, "")
        message = f"{fault.table}: {fault.message}"
        self.remarks.append(Diagnostic(table=table, message=message, severity="note", location=fault.location))


_ALLOWED: dict[str, tuple[str, ...]] = {
    "string": ("string", "varchar", "char"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz"),
    "time": ("string", "varchar", "char", "time"),
    "integer": ("tinyint", "smallint", "int", "bigint", "decimal"),
    "number": ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double"),
    "object": ("struct", "map", "variant"),
    "array": ("array",),
    "map": ("map",),
    "vector": ("array",),
}
"""The kinds of types that a logical type allows if nothing narrows it."""


def allowed_type(found: Element, stored: DataTypeState, contract: ContractFile) -> DataTypeState:
    """Return the stored type if the logical type of a property allows it, else what it allows, as text."""
    logical, options = found.values.get("logicalType"), found.options
    kind = stored.partition("(")[0] if isinstance(stored, str) else type(stored).__name__[: -len("State")].lower()
    if logical is None:
        return stored
    exact = FORMATS.get(options.get("format", ""))
    if logical == "timestamp" and "timezone" in options:
        exact = "timestamp" if options["timezone"] else "timestamp_ntz"
    if exact is not None:
        return exact
    length = _SIZED.fullmatch(str(stored))
    if length is not None and int(length[1]) > options.get("maxLength", int(length[1])):
        return f"{kind}({options['maxLength']})"
    kinds = _ALLOWED[logical]
    if logical == "date" and not contract.has("timestamp"):
        kinds = ("date", *_ALLOWED["timestamp"])
    if logical == "string" and options.get("format") in {"binary", "byte"}:
        kinds = (*kinds, "binary")
    is_fraction = kind == "decimal" and not str(stored).endswith(",0)")
    is_allowed = kind in kinds and not (logical == "integer" and is_fraction)
    return stored if is_allowed else f"{logical} ({', '.join(kinds)})"


@lru_cache(maxsize=4096)
def _read_type(text: str) -> DataTypeState:
    return canonical_type(parse_type(_BARE.sub("struct<>", text)))


def _is_table(found: Element) -> bool:
    return folded(found.values.get("physicalType") or "") not in _NO_TABLES


def _texts(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


def _constant(value: Any) -> str:
    """Return a value of a contract as SQL."""
    return literal(value) if isinstance(value, str) else str(value).lower()


def _can_be_compared(data_type: DataTypeState, limit: Any) -> bool:
    """Whether a limit means the same in SQL: a number, or a day for a column of days; moments need a time zone."""
    if isinstance(limit, str):
        return data_type == "date" and re.fullmatch(r"\d{4}-\d\d-\d\d", limit) is not None
    return not isinstance(limit, bool)

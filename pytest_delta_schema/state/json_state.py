r"""The JSON form of a table's state.

It is an object with ``"version": 1`` and the keys of :data:`STATE`. Keys whose value is the default are left out:
``{"version": 1, "name": "dev.silver.orders", "columns": [{"name": "id", "type": "bigint"}]}``.

* The name of a table has dots between its parts. So has the path of a column, in ``clustered_by``, ``tags``,
  ``deprecated`` and ``renames``; the path of the table is ``""``. A part that is not a plain word is in back-quotes.
* A type is Spark's short name, such as ``decimal(18,2)``, or an object, as in the schema of a Delta log:
  ``{"type": "struct", "fields": [...]}``, ``{"type": "array", "element": ...}``,
  ``{"type": "map", "key": ..., "value": ...}``.
* Strings are those of the state. Half of a surrogate pair, which UTF-8 cannot hold, is a ``\u`` escape in the text that
  ``json.dumps`` returns by default.
"""

from __future__ import annotations

import json
from datetime import date
from functools import partial
from operator import attrgetter
from sys import intern
from types import MappingProxyType
from typing import Any, get_args

from pytest_delta_schema.delta.names import TABLE, ColumnPath, path_text, split_path
from pytest_delta_schema.diagnostics.errors import Diagnostic, JsonFormError
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.models.column import Deprecated
from pytest_delta_schema.models.constraints import PARQUET, Parquet
from pytest_delta_schema.models.names import QualifiedName, StoredName
from pytest_delta_schema.models.ownership import ALL_MANAGED, ASPECTS, CONTRACT_MODES, EVOLUTIONS, IGNORE, STRICT
from pytest_delta_schema.state.json_shapes import (
    FLAG,
    NUMBER,
    TEXT,
    Choice,
    Entries,
    Form,
    FormFault,
    Items,
    Key,
    Kinds,
    Notation,
    Nullable,
    Record,
    json_preview,
)
from pytest_delta_schema.state.states import (
    NO_DEPRECATIONS,
    NO_TAGS,
    TEXT_PARTS,
    UNIQUE,
    CheckState,
    ForeignKeyState,
    HiddenPart,
    KeyState,
    RenameState,
    SourceState,
    TableState,
)
from pytest_delta_schema.state.types import (
    NO_GENERATION,
    ArrayState,
    ColumnGeneration,
    ColumnState,
    DataTypeState,
    IdentityState,
    MapState,
    StructState,
)

STATE_VERSION = 1
"""The version of the form. It grows with every change of a key, because unknown keys are refused."""

_SUBJECT = "state of a table"


def state_json(state: TableState) -> dict[str, Any]:
    """Return the state of a table as JSON values; :func:`state_from_json` turns them back without loss.

    Keys whose value is the default are left out. Whole numbers have up to 64 bits.
    """
    return STATE_FORM.write(state)


def state_from_json(values: object) -> TableState:
    """Return the state that :func:`state_json` has written.

    Args:
        values: What ``json.loads`` has returned.

    Raises:
        JsonFormError: If the values are of a higher version, or not of this form; with every fault.
    """
    name = values.get("name") if isinstance(values, dict) else None
    state: TableState = STATE_FORM.read(values, name if isinstance(name, str) else _SUBJECT)
    return state


_encode = json.JSONEncoder(ensure_ascii=False).encode
_encode_sorted = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_CONFLICT_MARKS = ("<<<<<<< ", ">>>>>>> ")
_REMEDY = "restore it"


def state_json_text(state: TableState) -> str:
    """Return the JSON form of a state as text; :func:`state_from_json_text` turns it back."""
    lines = [f'  "{key}": {_part(key, value)}' for key, value in state_json(state).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def state_from_json_text(text: str | bytes) -> TableState:
    """Return the state of a text of any layout that has the JSON form of a state."""
    try:
        values = json_values(text)
    except ValueError as error:
        raise JsonFormError([Diagnostic(table=_SUBJECT, message=str(error), remedy=_REMEDY)]) from None
    return state_from_json(values)


def json_values(text: str | bytes) -> object:
    """Return the values of a text; a ``ValueError`` says in the words of messages why it has none."""
    try:
        content = text.decode() if isinstance(text, bytes) else text
        return json.loads(content, object_pairs_hook=_object)
    except UnicodeDecodeError:
        fact = "is not UTF-8"
    except ValueError as error:
        fact = _fault_of(content, error)
    except RecursionError:
        fact = "is nested too deeply"
    raise ValueError(fact)


def _part(key: str, value: Any) -> str:
    """Return the value of a key, with a line for each entry if it has entries."""
    if key in _ARRAYS:
        return "[\n    " + ",\n    ".join([escaped(_encode(item)) for item in value]) + "\n  ]"
    if key in _OBJECTS:
        entries = [escaped(f"{_encode(name)}: {_encode_sorted(item)}") for name, item in sorted(value.items())]
        return "{\n    " + ",\n    ".join(entries) + "\n  }"
    return escaped(_encode(value))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of a key that is written twice, as after a merge, one value would be lost."""
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        msg = f"the key {json_preview(next(key for key in keys if keys.count(key) > 1))} is written twice"
        raise ValueError(msg)
    return values


def _fault_of(text: str, error: ValueError) -> str:
    """Return why a text is not JSON."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_CONFLICT_MARKS):
            return f"has a conflict of a merge in line {number}"
    return f"is not valid JSON: {error}"


class DataType:
    """The shape of a column's type: text, or an object of one of the ``nested`` kinds."""

    __slots__ = ("column", "nested")

    def __init__(self) -> None:
        self.column: Record = Record(
            ColumnState,
            Key("name", TEXT),
            Key("type", self, attribute="data_type"),
            Key("is_nullable", FLAG, default=True),
            Key("comment", TEXT, ""),
            Key("default", Nullable(of=TEXT), None, attribute="value.default"),
            Key("generated_as", Nullable(of=TEXT), None, attribute="value.generated"),
            Key("identity", Nullable(of=IDENTITY), None, attribute="value.identity"),
            build=_column,
        )
        struct = Record(StructState, Key("fields", Items(of=self.column)))
        array = Record(ArrayState, Key("element", self), Key("contains_null", FLAG, default=True))
        map_ = Record(
            MapState,
            Key("key", self),
            Key("value", self),
            Key("value_contains_null", FLAG, default=True),
        )
        self.nested = Kinds("type", {"struct": struct, "array": array, "map": map_}, otherwise="a string")

    def write(self, value: DataTypeState) -> Any:
        """Return a type as JSON values."""
        return value if isinstance(value, str) else self.nested.write(value)

    def read(self, value: Any, path: str, faults: list[FormFault]) -> Any:
        """Return the type."""
        return intern(value) if type(value) is str else self.nested.read(value, path, faults)


def _column(**parts: Any) -> ColumnState:
    value = ColumnGeneration(parts.pop("default"), parts.pop("generated"), parts.pop("identity"))
    return ColumnState(**parts, value=None if value == NO_GENERATION else value)


def _parsed_name(text: str) -> QualifiedName:
    parts = [part.name for part in split_path(text)]
    if len(parts) != len(QualifiedName._fields):
        raise ValueError(text)
    return StoredName.of(QualifiedName(*parts))


def _parsed_day(text: str) -> date:
    day = date.fromisoformat(text)
    # Later versions of Python read other forms of ISO 8601 as well.
    if str(day) != text:
        raise ValueError(text)
    return day


TEXTS = Items(of=TEXT)
TABLE_NAME = Notation(
    text=lambda name: path_text(name.written),
    parse=_parsed_name,
    noun="three names with dots, such as dev.silver.orders",
)
PATH = Notation(
    text=attrgetter("text"),
    parse=lambda text: ColumnPath.parse(text) if text else TABLE,
    noun="the path of a column",
)
IDENTITY = Record(IdentityState, Key("start", NUMBER), Key("step", NUMBER), Key("always", FLAG, attribute="is_always"))
COLUMN = DataType().column
CHECK = Record(CheckState, Key("name", TEXT), Key("expression", TEXT))
_RELY = Key("rely", Nullable(of=FLAG), default=False)
_KEY = (Key("name", TEXT), Key("columns", TEXTS), _RELY)
FOREIGN_KEY = Record(ForeignKeyState, *_KEY[:2], Key("parent", TABLE_NAME), Key("parent_columns", TEXTS, ()), _RELY)
PRIMARY_KEY_FORM = Record(KeyState, *_KEY)
UNIQUE_CONSTRAINT = Record(KeyState, *_KEY, build=partial(KeyState, kind=UNIQUE))
RENAME = Record(RenameState, Key("path", PATH), Key("renamed_from", TEXT, attribute="old"))
SOURCE = Record(
    SourceState,
    Key("provider", TEXT),
    Key("path", TEXT),
    Key("is_registered", FLAG, default=False),
    Key("is_in_place", FLAG, default=False),
    Key("folders", Items(of=TEXTS), ()),
    Key("files", NUMBER, 0),
    Key("conflict", TEXT, ""),
    Key("sign", TEXT, ""),
)
CONVERSION = Kinds(
    "format",
    {PARQUET: Record(Parquet, Key("path", Nullable(of=TEXT), None), Key("statistics", FLAG, default=True))},
)
DAY = Notation(text=str, parse=_parsed_day, noun="a day, such as 2026-01-31")
DEPRECATION = Record(Deprecated, Key("since", DAY), Key("use", TEXT, ""), Key("sunset", Nullable(of=DAY), None))
_MODE = Choice(words=CONTRACT_MODES)
PROPERTIES = Entries(values=Nullable(of=TEXT))

STATE = Record(
    TableState,
    Key("name", TABLE_NAME),
    Key("logical_name", Nullable(of=TABLE_NAME), None),
    Key("exists", FLAG, default=True),
    Key("schema_exists", FLAG, default=True),
    Key("observed_version", Nullable(of=NUMBER), None, attribute="version"),
    *(Key(part.argument, TEXT, "", attribute=part.field) for part in TEXT_PARTS),
    Key("columns", Items(of=COLUMN), ()),
    Key("primary_key", Nullable(of=PRIMARY_KEY_FORM), None),
    Key("unique", Items(of=UNIQUE_CONSTRAINT), ()),
    Key("checks", Items(of=CHECK), ()),
    Key("foreign_keys", Items(of=FOREIGN_KEY), ()),
    Key("partitioned_by", TEXTS, (), attribute="partitioning"),
    Key("clustered_by", Items(of=PATH), (), attribute="clustering"),
    Key("properties", PROPERTIES, MappingProxyType({}), attribute="table_properties"),
    Key("owned_properties", Nullable(of=TEXTS), None),
    Key("emulated_properties", TEXTS, ()),
    Key("tags", Entries(keys=PATH, values=PROPERTIES), NO_TAGS),
    Key("source", Nullable(of=SOURCE), None),
    Key("convert_from", Nullable(of=CONVERSION), None),
    Key("renames", Items(of=RENAME), ()),
    Key("column_order", _MODE, IGNORE),
    Key(
        "owns",
        Entries(keys=Choice(words=ASPECTS), values=Choice(words=CONTRACT_MODES)),
        ALL_MANAGED,
        attribute="ownership",
    ),
    Key("evolution", Choice(words=EVOLUTIONS), STRICT),
    Key("clients", TEXTS, ()),
    Key("read_only", FLAG, default=False),
    Key("deprecated", Entries(keys=PATH, values=DEPRECATION), NO_DEPRECATIONS),
    Key("kind", TEXT, ""),
    Key("not_shown", Items(of=Choice(words=get_args(HiddenPart))), ()),
)
"""The keys of the form, without the version."""

STATE_FORM = Form(version=STATE_VERSION, record=STATE)

_OBJECTS = frozenset(key.name for key in STATE.keys if isinstance(key.shape, Entries))
_ARRAYS = frozenset(key.name for key in STATE.keys if isinstance(key.shape, Items) and isinstance(key.shape.of, Record))
"""The keys whose entries have a line each."""

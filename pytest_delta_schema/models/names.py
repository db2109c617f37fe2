"""Names of tables, columns and constraints: as they are declared, derived, bound and required."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names import folded, split_path
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.arguments import refuse_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class QualifiedName(NamedTuple):
    """The three parts of a table's name, unescaped and in lower case, as most catalogs store them.

    Args:
        catalog: First part.
        schema: Second part.
        table: Third part.
    """

    catalog: str
    schema: str
    table: str

    def __str__(self) -> str:
        return f"{self.catalog}.{self.schema}.{self.table}"

    @property
    def written(self) -> QualifiedName:
        """The name as the catalog stores it, and as SQL has to write it."""
        return self


@lru_cache(maxsize=4096)
def folded_name(catalog: str, schema: str, table: str) -> QualifiedName:
    """Return the name of a table for its three parts in any case, as one object for all that are equal."""
    return QualifiedName(folded(catalog), folded(schema), folded(table))


class StoredName(QualifiedName):
    """A name that a catalog with case-sensitive names stores in another case: it equals the name in lower case."""

    _stored: QualifiedName

    @classmethod
    def of(cls, stored: QualifiedName) -> QualifiedName:
        """Return a name for what a catalog stores: a plain one where all of it is in lower case."""
        lowered = [*map(folded, stored)]
        if lowered == list(stored):
            return QualifiedName(*lowered)
        name = cls(*lowered)
        name._stored = stored
        return name

    @property
    def written(self) -> QualifiedName:
        """The name as the catalog stores it, and as SQL has to write it."""
        return self._stored


def parse_name(text: str) -> QualifiedName:
    """Read the three parts of a dotted name such as ``dev.silver.orders``, in any case."""
    parts = [part.name for part in split_path(folded(text))]
    if len(parts) != len(QualifiedName._fields) or not all(part.strip() for part in parts):
        msg = f"{text!r} does not name a table; write catalog.schema.table, or give the Table itself"
        raise DeclarationError(msg)
    return QualifiedName(*parts)


def required_table_name(value: Any, subject: str) -> QualifiedName:
    """Return the name of a table; raise a ``DeclarationError`` if it is not a :class:`QualifiedName`."""
    if not isinstance(value, QualifiedName):
        remedy = "write model.name, or QualifiedName(catalog, schema, table)"
        parts = value.split(".") if isinstance(value, str) else ()
        if len(parts) == len(QualifiedName._fields):
            remedy = f"write QualifiedName({', '.join(map(repr, parts))}), or the name of a model, model.name"
        refuse_kind(subject, "the name of a table", value, remedy)
    return value


def required_table_names(value: object, subject: str) -> list[QualifiedName]:
    """Return the names of tables, each once and sorted.

    Args:
        value: What was given for them: any iterable of names.
        subject: The function, for the message.

    Raises:
        DeclarationError: If it is or holds something else.
    """
    if isinstance(value, (QualifiedName, str)) or not isinstance(value, Iterable):
        refuse_kind(subject, "a list of names of tables", value, "write [model.name, ...]")
    return sorted({required_table_name(name, subject) for name in value})


Prefix = tuple[str, ...]
"""The first parts of a name, in lower case."""

_MOST_PARTS = 3


def parse_binding(text: str) -> tuple[Prefix, Prefix]:
    """Read a pair such as ``dev.silver=ci.pr_42_silver``; raise a ``DeclarationError`` if it is not such a pair."""
    prefix, _, target = (folded(part.strip()) for part in text.partition("="))
    left, right = tuple(prefix.split(".")), tuple(target.split("."))
    if len(left) != len(right) or not all((*left, *right)) or len(left) > _MOST_PARTS:
        fact = f"binding {text!r} must map a name to a name with the same number of parts"
        msg = f"{fact}; write 'dev.silver=ci.pr_42_silver'"
        raise DeclarationError(msg)
    return left, right


def require_name(value: object, subject: str, remedy: str = "give it a name") -> str:
    """Return ``value`` as plain text if it can be a name: a string, or a member of an enum of them, with characters."""
    if not isinstance(value, str):
        msg = f"{subject} must be a string, got {value!r}; write it in quotes"
        raise DeclarationError(msg)
    if not value.strip():
        msg = f"{subject} is empty; {remedy}"
        raise DeclarationError(msg)
    return str.__str__(value)


def plain_texts(values: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a copy whose keys and values are plain texts where they are members of enums of strings."""
    return {_plain(key): _plain(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    return str.__str__(value) if isinstance(value, str) and type(value) is not str else value


def are_names(values: Iterable[object]) -> bool:
    """Whether each can be a name; for a subclass of strings :func:`require_name` decides, which needs a text."""
    return all(type(value) is str and value.strip() for value in values)


def require_names(value: object, subject: str) -> tuple[str, ...]:
    """Return ``value`` as a tuple of names."""
    if isinstance(value, (str, bytes)):
        msg = f"{subject} must be a list of names, got the bare string {value!r}; write [{value!r}]"
        raise DeclarationError(msg)
    if not isinstance(value, Iterable):
        msg = f"{subject} must be a list of names, got {value!r}; write a list of strings"
        raise DeclarationError(msg)
    names = tuple(value)
    if are_names(names):
        return names
    return tuple(require_name(item, f"{subject}[{index}]") for index, item in enumerate(names))


def require_comment(value: object, subject: str) -> str:
    """Return ``value`` if it can be a comment: a string, ``""`` for ``None``."""
    if value is None:
        return ""
    if not isinstance(value, str):
        msg = f"{subject} must be a string, got {value!r}; write it in quotes"
        raise DeclarationError(msg)
    return str.__str__(value)


CONSTRAINT_NAME_LIMIT = 255
"""Longest name of a constraint on Unity Catalog, in characters (source: its documentation of object names)."""

_HASH_LENGTH = 8


def key_name(prefix: str, table: QualifiedName, key: Sequence[str], columns: Iterable[str] = ()) -> str:
    """Name a key of a table, always the same for the same key."""
    words = tuple(map(folded, key))
    joined = "_".join(words)
    name = f"{prefix}_{table.catalog}_{table.schema}_{table.table}__{joined}"
    if len(name) <= CONSTRAINT_NAME_LIMIT and ("_" not in joined or _readings(joined, (*columns, *key)) == 1):
        return name
    digest = hashlib.sha256("\x00".join((*table, *words)).encode()).hexdigest()[:_HASH_LENGTH]
    return f"{name[: CONSTRAINT_NAME_LIMIT - _HASH_LENGTH - 1]}_{digest}"


def _readings(text: str, columns: Iterable[str]) -> int:
    """Count the ways to read ``text`` as names of columns joined by underscores."""
    # One string of all names in lower case, because this runs for every table of a plan.
    vocabulary = folded("\0" + "\0".join(columns) + "\0")
    parts = text.split("_")
    counts = [1] + [0] * len(parts)
    for start in range(len(parts)):
        if counts[start]:
            for end in range(start + 1, len(counts)):
                if f"\0{'_'.join(parts[start:end])}\0" in vocabulary:
                    counts[end] += counts[start]
    return counts[-1]

"""The values of ``--delta-import``: a schema, or some of its tables, and the file or folder to write."""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, cast

from pytest_delta_schema.delta.names.column_path import split_path
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.names.near_names import nearest_name
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.report.text.text import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.delta.names.part_path import Aspect
    from pytest_delta_schema.models.names import QualifiedName

_FORM = "write --delta-import=dev.silver, or --delta-import=dev.silver.ord*=contracts/orders.py"
_SCHEMA, _TABLE = 2, 3
_GLOB = re.compile(r"[*?[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """One value of the option."""

    text: str
    """The name as it was given."""
    catalog: str
    """The catalog to read, in lower case."""
    schema: str
    """Its schema, in lower case."""
    pattern: str
    """A glob pattern of names of tables, in lower case."""
    path: str
    """The file or the folder to write; ``""`` for ``contracts``."""

    def matching(self, names: Iterable[QualifiedName]) -> list[QualifiedName]:
        """Return the names that are asked for."""
        return [name for name in names if fnmatchcase(name.table, self.pattern)]

    def fault(self, names: Iterable[QualifiedName]) -> str:
        """Return the message if no name of the schema is asked for; ``""`` if one is."""
        known = list(names)
        if self.matching(known):
            return ""
        schema = f"{self.catalog}.{self.schema}"
        if not known:
            return f"--delta-import={self.text}: the schema {schema} does not exist, or holds no table; check its name"
        tables = [name.table for name in known]
        near = nearest_name(self.pattern, tables)
        proposal = f"did you mean {schema}.{near}?" if near else f"its tables are {first_few(tables, 5)}"
        return f"--delta-import={self.text}: no table of {schema} has this name; {proposal}"


def import_faults(values: Iterable[str], owns: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the options.

    ``owns`` are the aspects of ``--delta-import-owns``.
    """
    yield from (request for request in map(import_request, values) if isinstance(request, str))
    unknown = [aspect for aspect in aspects_of(owns) if aspect not in ASPECTS]
    if unknown:
        yield f"--delta-import-owns: there is no aspect {', '.join(unknown)}; aspects are {', '.join(ASPECTS)}"


def aspects_of(owns: Iterable[str]) -> list[Aspect]:
    """Return the aspects of ``--delta-import-owns``, which has commas between them."""
    return [cast("Aspect", aspect.strip()) for text in owns for aspect in text.split(",")]


def import_requests(values: Iterable[str]) -> list[ImportRequest]:
    """Return what the values of ``--delta-import`` ask for; there is nothing wrong with them."""
    return [request for request in map(import_request, values) if isinstance(request, ImportRequest)]


def import_request(value: str) -> ImportRequest | str:
    """Return what a value of the option asks for, or what is wrong with it."""
    text, _, path = value.partition("=")
    parts = split_path(text)
    if len(parts) not in {_SCHEMA, _TABLE} or not all(part.name for part in parts):
        return f"--delta-import={value} does not name a schema; {_FORM}"
    if any(not part.is_quoted and _GLOB.search(part.name) for part in parts[:_SCHEMA]):
        return f"--delta-import={value} has a pattern in the name of the schema; {_FORM}"
    catalog, schema = (folded(part.name) for part in parts[:_SCHEMA])
    tables = [glob.escape(part.name) if part.is_quoted else part.name for part in parts[_SCHEMA:]]
    pattern = folded(tables[0]) if tables else "*"
    return ImportRequest(text=text, catalog=catalog, schema=schema, pattern=pattern, path=path)

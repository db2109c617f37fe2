"""Find the lines of declarations, and of their parts, in the files of a project."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from importlib.util import decode_source
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.source_map.declaration_parts import DeclarationParts
from pytest_delta_schema.engine.source_map.source_tables import assignment_line, table_sources
from pytest_delta_schema.models.declared_at import FileVersion, imported_version
from pytest_delta_schema.models.table import declared_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_delta_schema.engine.source_map.source_tables import CallSource
    from pytest_delta_schema.models.declared_at import DeclaredAt
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table

_T = TypeVar("_T")

_NAMES = ("catalog_name", "schema_name", "table_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A variable of a project that lists tables of installed packages."""

    path: str
    variable: str
    version: FileVersion | None


class SourceLocations:
    """The locations of declarations and of their parts; a file is read once, when it is first needed.

    Listings are the variables that list tables of installed packages, by the names of these tables.
    """

    def __init__(self, listings: Mapping[QualifiedName, Listing]) -> None:
        self._listings = listings
        self._files: dict[str, Mapping[int, tuple[CallSource, ...]]] = {}
        self._declarations: dict[QualifiedName, DeclarationParts | None] = {}
        self._listed: dict[Listing, Location | None] = {}

    def location(self, table: Table, path: str = "", code: str = "") -> Location:
        """Return the location of a declaration or of a part of it.

        It is that of the whole declaration for a part that is not written out there, and only the line of it where a
        loop, a comprehension or a function declares the table, or the file is no longer the one that was imported.
        A table of an installed package is where a variable of the project lists it.

        The path is that of changes and diagnostics; ``""`` for the table itself.
        """
        listing = self._listings.get(table.name)
        if listing is not None:
            return self._location_of(listing) or table.origin.location
        if table.name not in self._declarations:
            self._declarations[table.name] = self._declaration(table)
        declaration = self._declarations[table.name]
        if declaration is None:
            return table.origin.location
        return Location(table.origin.path, *declaration.span(path, code))

    def _declaration(self, table: Table) -> DeclarationParts | None:
        """Return the parts of a declaration; ``None`` if it is not certain which call it is."""
        origin = table.origin
        if origin.path not in self._files:
            self._files[origin.path] = _tables(origin)
        calls = [call for call in self._files[origin.path].get(origin.line, ()) if _may_declare(call, table)]
        if len(calls) != 1 or "table_name" not in calls[0].constants:
            return None
        return DeclarationParts(calls[0], table)

    def _location_of(self, listing: Listing) -> Location | None:
        """Return where a variable is assigned; ``None`` if that is not certain."""
        if listing not in self._listed:
            line = _parsed(listing.path, listing.version, lambda text: assignment_line(text, listing.variable))
            self._listed[listing] = None if line is None else Location(listing.path, line)
        return self._listed[listing]


def _tables(origin: DeclaredAt) -> Mapping[int, tuple[CallSource, ...]]:
    """Return the tables that a module declares, by line."""
    module = sys.modules.get(origin.module)
    if module is None:
        return {}
    return _parsed(origin.path, imported_version(module), lambda text: table_sources(text, vars(module))) or {}


def _parsed(path: str, version: FileVersion | None, parse: Callable[[str], _T]) -> _T | None:
    """Return what a function makes of a file; ``None`` if the file cannot be read, or has changed.

    The version is that of the file when it was imported; ``None`` if it is not known.
    """
    try:
        with Path(path).open("rb") as file:
            if version is None or FileVersion.of(file.fileno()) != version:
                return None
            text = decode_source(file.read())
        with warnings.catch_warnings():
            # The import has shown them.
            warnings.simplefilter("ignore")
            return parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def _may_declare(call: CallSource, table: Table) -> bool:
    """Whether the names that a call is given are those of a table, if they are constants."""
    name = declared_name(table)
    written = [call.constants.get(part, meant) for part, meant in zip(_NAMES, name, strict=True)]
    return [folded(part) if isinstance(part, str) else part for part in written] == [*name]

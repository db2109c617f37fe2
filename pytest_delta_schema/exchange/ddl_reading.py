"""Collect tables, faults and remarks while scripts are read."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import same_name
from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.diagnostics.escaping import shortened
from pytest_delta_schema.exchange.token_reader import UnreadableError, refuse_sql
from pytest_delta_schema.models.names import QualifiedName, folded_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.exchange.table_draft import TableDraft
    from pytest_delta_schema.exchange.token_reader import TokenReader

_LONGEST = 300
_PARTS = 3


class DdlReading:
    """The tables that the statements of some texts declare.

    Catalog and schema are those of names that have none; ``""`` if such names are faults.
    """

    def __init__(self, catalog: str, schema: str) -> None:
        self.catalog = catalog
        self.schema = schema
        self.tables: dict[QualifiedName, TableDraft] = {}
        self.faults: list[Diagnostic] = []
        self.remarks: list[Diagnostic] = []
        self._statement = ""
        self._source = ""

    def enter(self, statement: str, source: str) -> None:
        """Begin a statement.

        Messages call the statement such as ``shop.sql: statement 2``; the source is the text that holds it.
        """
        self._statement, self._source = statement, source

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect the fault that is raised inside, so what follows is read, too."""
        try:
            yield
        except UnreadableError as error:
            self.add_fault(error)

    def add_fault(self, error: UnreadableError) -> None:
        """Collect a fault of the statement."""
        line = self._source.count("\n", 0, error.offset) + 1
        subject = f"{self._statement}, line {line}"
        message, remedy = shortened(error.fact, _LONGEST), error.remedy
        self.faults.append(Diagnostic(table=subject, message=message, remedy=remedy))

    def remark(self, table: QualifiedName | None, message: str) -> None:
        """Collect something that a model does not declare; without a table it is about the statement."""
        subject = str(table or self._statement)
        self.remarks.append(Diagnostic(severity="note", table=subject, message=shortened(message, _LONGEST)))

    def table_name(self, reader: TokenReader) -> QualifiedName:
        """Read the name of a table.

        Raises:
            UnreadableError: If something else comes next, or a part of the name is missing.
        """
        offset = reader.offset
        return self.qualified(reader.path("the name of a table"), offset)

    def qualified(self, parts: tuple[str, ...], offset: int) -> QualifiedName:
        """Return the whole name of a table.

        Raises:
            UnreadableError: If a part of it is missing.
        """
        name = ".".join(parts)
        if same_name(parts[0], "delta") and "/" in parts[-1]:
            refuse_sql(f"{name} is a path, and a model has a name", "write the name of the table", offset)
        if len(parts) > _PARTS:
            refuse_sql(f"{name} has more than three parts", "write catalog.schema.table", offset)
        whole = (*(self.catalog, self.schema)[: _PARTS - len(parts)], *parts)
        if not all(whole):
            missing = "its catalog" if whole[1] else "its catalog and schema" if not whole[0] else "its schema"
            remedy = "write catalog.schema.table, or give the catalog and the schema of such names"
            refuse_sql(f"the name {name} lacks {missing}", remedy, offset)
        return folded_name(*whole)

    def table(self, reader: TokenReader) -> TableDraft:
        """Read the name of a table that an earlier statement creates.

        Raises:
            UnreadableError: If none does.
        """
        offset = reader.offset
        return self.created(self.table_name(reader), offset)

    def created(self, name: QualifiedName, offset: int) -> TableDraft:
        """Return a table that an earlier statement creates.

        Raises:
            UnreadableError: If none does.
        """
        draft = self.tables.get(name)
        if draft is None:
            remedy = "put its CREATE TABLE before this statement"
            refuse_sql(f"no statement before this one creates {name}", remedy, offset)
        return draft

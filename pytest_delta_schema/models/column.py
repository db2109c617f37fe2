"""One declared column."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.types import DataType

from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.models.names import require_name


@dataclass(slots=True)
class Column:
    """Declare one column of a table.

    Args:
        name: As it should be stored; matched without regard to case.
        data_type: A type of ``pyspark.sql.types``, as an object: ``LongType()``.
        is_nullable: Whether rows may leave it NULL; they may by default.
        comment: Shown by catalogs; ``""`` means none.
        renamed_from: What the column was called before; used once, silent ever after. A field of a struct says it in
            the metadata of its ``StructField``: ``metadata={"renamed_from": "old"}``.

    Raises:
        DeclarationError: If the name is empty or the type is not one of ``pyspark.sql.types``.
    """

    name: str
    data_type: DataType
    is_nullable: bool = True
    comment: str = ""
    renamed_from: str | None = None

    def __post_init__(self) -> None:
        require_name(self.name, "the name of a column")
        if self.renamed_from is not None:
            require_name(self.renamed_from, f"column {self.name}: renamed_from")
        if isinstance(self.data_type, DataType):
            return
        given: object = self.data_type
        if isinstance(given, type) and issubclass(given, DataType):
            msg = f"column {self.name}: data_type is the class {given.__name__}, not a type; write {given.__name__}()"
        else:
            msg = (
                f"column {self.name}: data_type is {given!r}, which is not a Spark type;"
                " use one of pyspark.sql.types, such as LongType()"
            )
        raise DeclarationError(msg)

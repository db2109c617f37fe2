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

    Raises:
        DeclarationError: If the name is empty or the type is not one of ``pyspark.sql.types``.
    """

    name: str
    data_type: DataType
    is_nullable: bool = True
    comment: str = ""

    def __post_init__(self) -> None:
        require_name(self.name, "the name of a column")
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

"""The rule about tags: the limits of Unity Catalog on Databricks (source: its documentation of tags)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.part_path import WHOLE_TABLE, part_path
from pytest_delta_schema.rules.rule import Fault, violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table

MOST_TAGS = 50
"""The maximum for one table, and for one column."""

LONGEST_KEY, LONGEST_VALUE = 255, 1000

_FORBIDDEN = ".,-=/:"


class InvalidTag:
    """A tag has a key or a value that Unity Catalog on Databricks refuses, or there are too many tags.

    The limits hold on every backend, so a contract can move between them.

    Remedy: Shorten, rename or remove the tag.

    Example:
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "x" * 1001})
    """

    code = "DS121"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every tag that Unity Catalog refuses, and for too many tags."""
        for fault in _faults("the table", table.tags):
            yield violation(self, table.qualified_name, WHOLE_TABLE, fault.message, fault.remedy)
        for column in table.columns:
            if column.tags:
                for fault in _faults(f"column {column.name}", column.tags):
                    path = part_path("columns", column.name)
                    yield violation(self, table.qualified_name, path, fault.message, fault.remedy)


def _faults(subject: str, tags: Mapping[str, str | None]) -> Iterator[Fault]:
    for key, value in tags.items():
        tag = f"tag {key!r} of {subject}"
        invalid = "".join(sorted(set(key) & set(_FORBIDDEN)))
        if invalid:
            yield Fault(
                message=f"{tag} has {invalid} in its key, which cannot hold any of {_FORBIDDEN}", remedy="use a _"
            )
        if len(key) > LONGEST_KEY:
            message = f"{tag} has a key of {len(key)} characters; the maximum is {LONGEST_KEY}"
            yield Fault(message=message, remedy="shorten it")
        if key != key.strip() or (value or "") != (value or "").strip():
            message = f"{tag} begins or ends with a space, in its key or its value"
            yield Fault(message=message, remedy="remove the space")
        if len(value or "") > LONGEST_VALUE:
            message = f"{tag} has a value of {len(value or '')} characters; the maximum is {LONGEST_VALUE}"
            yield Fault(message=message, remedy="shorten it")
    number = sum(value is not None for value in tags.values())
    if number > MOST_TAGS:
        yield Fault(message=f"{subject} has {number} tags; the maximum is {MOST_TAGS}", remedy="declare fewer")

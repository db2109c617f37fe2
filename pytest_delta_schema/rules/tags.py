"""Rules about tags: what Unity Catalog on Databricks takes (source: its documentation of tags)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.rules.rule import violation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.models.table import Table

MOST_TAGS = 50
"""How many tags a table, or a column, can have."""

LONGEST_KEY, LONGEST_VALUE = 255, 1000

_FORBIDDEN = ".,-=/:"


class InvalidTag:
    """A tag has a key or a value that Unity Catalog on Databricks refuses, or there are too many tags.

    The limits hold on every backend, so that a contract can move between them. Shorten, rename or remove the tag.
    """

    code = "DS121"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every tag that could not be set, and for too many of them."""
        places: dict[str, Mapping[str, str | None]] = {"": table.tags}
        places.update((column.name, column.tags) for column in table.columns if column.tags)
        for place, tags in places.items():
            subject = f"column {place}" if place else "the table"
            for message, remedy in _faults(subject, tags):
                yield violation(self, table.qualified_name, place, message, remedy)


def _faults(subject: str, tags: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    for key, value in tags.items():
        tag = f"tag {key!r} of {subject}"
        odd = "".join(sorted(set(key) & set(_FORBIDDEN)))
        if odd:
            yield f"{tag} has {odd} in its key, and keys have none of {_FORBIDDEN}", "use a _"
        if len(key) > LONGEST_KEY:
            yield f"{tag} has a key of {len(key)} characters; {LONGEST_KEY} is the most", "shorten it"
        if key != key.strip() or (value or "") != (value or "").strip():
            yield f"{tag} begins or ends with a space, in its key or its value", "take the space out"
        if len(value or "") > LONGEST_VALUE:
            yield f"{tag} has a value of {len(value or '')} characters; {LONGEST_VALUE} is the most", "shorten it"
    number = sum(value is not None for value in tags.values())
    if number > MOST_TAGS:
        yield f"{subject} has {number} tags; {MOST_TAGS} is the most", "declare fewer"

"""Binding: models keep their names, and map to tables in another catalog or schema."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.conversion import Parquet
from pytest_delta_schema.models.derivation import derived
from pytest_delta_schema.models.names import QualifiedName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.table import Table

Prefix = tuple[str, ...]

_MOST_PARTS = 3


class Binding(NamedTuple):
    """Maps names of models to names in a catalog.

    Args:
        pairs: Prefixes of names in models, each with the prefix that replaces it; both in lower case and of one length.
    """

    pairs: tuple[tuple[Prefix, Prefix], ...] = ()

    def name(self, name: QualifiedName) -> QualifiedName:
        """Return the name in the catalog for one in models; the longest prefix is used."""
        longest = max((pair for pair in self.pairs if name[: len(pair[0])] == pair[0]), key=_length, default=None)
        return name if longest is None else QualifiedName(*longest[1], *name[len(longest[1]) :])

    def table(self, table: Table) -> Table:
        """Return the table in the catalog that a model maps to; the names of its keys stay.

        A folder is converted only for a table of the model's own name, not for one that a binding maps it to.
        """
        name = self.name(table.name)
        parents = [self.name(key.parent) for key in table.foreign_keys]
        if name == table.name and parents == [key.parent for key in table.foreign_keys]:
            return table
        converts = name == table.name or not isinstance(table.convert_from, Parquet) or table.convert_from.path is None
        keys = (
            replace(key, references=str(parent), parent_columns=key.parent_key)
            for key, parent in zip(table.foreign_keys, parents, strict=True)
        )
        conversion = table.convert_from if converts else None
        return derived(table, name, convert_from=conversion, foreign_keys=tuple(keys))

    def unused(self, names: Iterable[QualifiedName]) -> tuple[str, ...]:
        """Return the pairs, as they were written, that map none of these names."""
        known = list(names)
        return tuple(
            f"{'.'.join(prefix)}={'.'.join(target)}"
            for prefix, target in self.pairs
            if not any(name[: len(prefix)] == prefix for name in known)
        )


def parse_binding(text: str) -> tuple[Prefix, Prefix]:
    """Read a pair such as ``dev.silver=ci.pr_42_silver``; raise a ``DeclarationError`` if it is not such a pair."""
    prefix, _, target = (folded(part.strip()) for part in text.partition("="))
    left, right = tuple(prefix.split(".")), tuple(target.split("."))
    if len(left) != len(right) or not all((*left, *right)) or len(left) > _MOST_PARTS:
        fact = f"binding {text!r} must map a name to a name with the same number of parts"
        msg = f"{fact}; write 'dev.silver=ci.pr_42_silver'"
        raise DeclarationError(msg)
    return left, right


def _length(pair: tuple[Prefix, Prefix]) -> int:
    return len(pair[0])

"""Changes of tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from pytest_delta_schema.delta.names.column_path import TABLE, ColumnPath
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.change_markers import ABSENT, ADD, CHANGE, DROP
from pytest_delta_schema.plan.changes.kind import ChangeKind, declare, require_change
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.order import Step
from pytest_delta_schema.plan.risk import Risk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.state.states import TableState


__all__ = ["SetTags", "UnsetTags"]


def _set_lines(change: SetTags, observed: TableState) -> Iterator[ChangeLine]:
    return set_tags_lines(change, observed.tags.get(change.path, {}))


class TagDiffers:
    """A declared tag is not on the table or the column, or has another value there.

    Remedy: Apply the model, or declare the value that the catalog has.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "sales"})
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "finance"})
    """

    code = "DD122"


@declare(ChangeKind(aspect="tags", drift=TagDiffers, step=Step.SET_TAGS, risk=Risk.METADATA, describe=_set_lines))
@dataclass(frozen=True, slots=True, kw_only=True)
class SetTags:
    """Set tags, sorted by key.

    Args:
        path: The column; empty for the table itself.
        tags: The values; ``""`` for a tag without one.
    """

    path: ColumnPath = TABLE
    tags: Mapping[str, str]

    def __post_init__(self) -> None:
        require_change(self, bool(self.tags))


def _unset_lines(change: UnsetTags, observed: TableState) -> Iterator[ChangeLine]:
    for key in change.keys:
        yield ChangeLine(DROP, _tag(change.path, key), repr(observed.tags[change.path][key]), ABSENT)


class UndeclaredTag:
    """The table or a column has a tag that the model wants to be absent.

    Remedy: Apply the model, or declare the tag.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "sales"})
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": None})
    """

    code = "DD123"


@declare(
    ChangeKind(aspect="tags", drift=UndeclaredTag, step=Step.UNSET_TAGS, risk=Risk.METADATA, describe=_unset_lines)
)
@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetTags:
    """Remove the tags ``keys``, sorted.

    Args:
        path: The column under its name before any rename; empty for the table itself.
        keys: The tags.
    """

    path: ColumnPath = TABLE
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        require_change(self, bool(self.keys))


TagsChange = Union[SetTags, UnsetTags]  # noqa: UP007 - a union at run time


def set_tags_lines(change: SetTags, stored: Mapping[str, str | None]) -> Iterator[ChangeLine]:
    """Yield a line for each tag that is set.

    ``stored`` are the tags that the column or the table has.
    """
    for key, value in change.tags.items():
        before = stored.get(key)
        marker, text = (ADD, ABSENT) if before is None else (CHANGE, repr(before))
        yield ChangeLine(marker, _tag(change.path, key), text, repr(value))


def _tag(path: ColumnPath, key: str) -> str:
    return part_path("columns", path, "tags", key) if path else part_path("tags", key)

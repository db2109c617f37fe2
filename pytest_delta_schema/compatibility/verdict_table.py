"""The verdict for each change of a contract and each role: one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from pytest_delta_schema.compatibility.faults import (
    AdditiveEvolution,
    AppendOnlyDisabled,
    AspectNotOwned,
    ChangeFeedDisabled,
    CheckAdded,
    CheckDropped,
    ClusteringChanged,
    CollationChanged,
    ColumnMappingDropped,
    ColumnMoved,
    ColumnOrderNotKept,
    ColumnRemoved,
    ColumnRenamed,
    ColumnRespelled,
    CommentChanged,
    CommitsManagedByCatalog,
    ConstraintKeyAdded,
    ConstraintKeyDropped,
    ConvertedToDelta,
    DefaultChanged,
    DeprecationBackdated,
    FeatureEnabled,
    FieldAdded,
    FieldOrderChanged,
    GenerationChanged,
    LengthShortened,
    NullableColumnAdded,
    NullAllowed,
    NullForbidden,
    OtherFormatDisabled,
    PartitioningChanged,
    PropertyChanged,
    RelyAdded,
    RelyKeyAdded,
    RequiredColumnAdded,
    RetentionShortened,
    SunsetMovedNearer,
    TableIntroduced,
    TableRemoved,
    TagChanged,
    TypeChanged,
    TypeWidened,
)
from pytest_delta_schema.settings.table import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.compatibility.roles import RoleGroup
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.settings.table import Role

Cell = Literal["breaking", "dangerous", "safe", "predicted", "computed"]
"""A verdict; or where it is from: a prediction of the stream, or of the write and of the features of clients."""

UpgradeTime = Literal["before", "with", "after"]
"""When a role is upgraded: before, with or after the release."""


class VerdictRow(NamedTuple):
    """The verdicts on one kind of change."""

    cells: Mapping[Role, Cell]
    reasons: Mapping[RoleGroup, str]
    """What each group meets for which the table has a verdict that is not ``safe``."""
    readers_upgrade: UpgradeTime


def _row(  # noqa: PLR0913 - the groups of roles
    readers: str,
    streams: str,
    writers: str,
    clients: str = "safe",
    *,
    to_readers: str = "",
    to_streams: str = "",
    to_writers: str = "",
    to_clients: str = "",
    upgrade: UpgradeTime = "before",
) -> VerdictRow:
    """Return a row: one verdict for each group, or three for its roles in their order."""
    words = [word for group in (readers, streams, writers) for word in _three(group.split())]
    return VerdictRow(
        cells={role: cast("Cell", word) for role, word in zip(ROLES, [*words, clients], strict=True)},
        reasons={"readers": to_readers, "streams": to_streams, "writers": to_writers, "clients": to_clients},
        readers_upgrade=upgrade,
    )


def _three(words: list[str]) -> list[str]:
    return words * 3 if len(words) == 1 else words


_BY_POSITION = "meet another number of columns"
_MIXED_UP = "have values in the wrong columns"
_UNPROMISED = "have no promise any more"
_LATE = "are told later than it says"
_GONE = "find no table"
_SOONER = "have less time to do without it than was announced"
_OTHER_FORMAT = "see no further commit if they read it as Iceberg or Hudi"
_PATH = "see only what the catalog has published, or fail"

VERDICT_TABLE: Mapping[type[HasCode], VerdictRow] = {
    # readers: by name, by position, by path; streams: plain, tracked, change feed; writers: by name, by position, MERGE
    ColumnRemoved: _row("breaking", "predicted", "computed", "computed", to_readers="do not find it"),
    ColumnRenamed: _row(
        "breaking safe breaking",
        "predicted",
        "computed",
        "computed",
        to_readers="do not find the old name",
        upgrade="with",
    ),
    TypeChanged: _row("breaking", "predicted", "computed", "computed", to_readers="have values of another type"),
    TypeWidened: _row(
        "dangerous", "predicted", "computed", "computed", to_readers="may have values that the old type cannot hold"
    ),
    NullableColumnAdded: _row(
        "safe breaking computed",
        "predicted",
        "computed breaking computed",
        "computed",
        to_readers=_BY_POSITION,
        to_writers=_BY_POSITION,
    ),
    RequiredColumnAdded: _row(
        "safe breaking computed",
        "predicted",
        "computed breaking computed",
        "computed",
        to_readers=_BY_POSITION,
        to_writers=_BY_POSITION,
    ),
    FieldAdded: _row(
        "dangerous",
        "predicted",
        "computed",
        "computed",
        to_readers="put a struct of other fields into UNION, COALESCE, casts and comparisons",
    ),
    NullAllowed: _row("computed", "predicted", "safe", to_readers="may have NULL"),
    NullForbidden: _row("safe", "predicted", "computed", "computed", to_writers="are refused where they write NULL"),
    LengthShortened: _row("safe", "predicted", "computed"),
    CollationChanged: _row(
        "dangerous",
        "predicted",
        "computed",
        "computed",
        to_readers="compare and sort in another way, and pandas, polars and readers of Parquet files in the old one",
    ),
    ColumnRespelled: _row(
        "dangerous",
        "predicted",
        "computed",
        to_readers="do not find it if they respect case, as pandas, polars and readers of Parquet files do",
    ),
    ColumnMoved: _row(
        "safe breaking safe",
        "predicted",
        "computed breaking computed",
        to_readers=_MIXED_UP,
        to_writers=_MIXED_UP,
    ),
    ColumnOrderNotKept: _row(
        "safe breaking safe",
        "predicted",
        "computed breaking computed",
        to_readers=f"{_MIXED_UP} as soon as the table is created again",
        to_writers=f"{_MIXED_UP} as soon as the table is created again",
    ),
    DefaultChanged: _row("safe", "predicted", "computed"),
    GenerationChanged: _row("safe", "predicted", "computed", "computed"),
    FieldOrderChanged: _row(
        "dangerous",
        "predicted",
        "computed",
        to_readers="have other fields in UNION ALL, comparisons, max and casts of the whole struct",
    ),
    CheckAdded: _row("safe", "predicted", "computed", "computed", to_writers="are refused where they violate it"),
    CheckDropped: _row(
        "computed", "safe predicted predicted", "safe", to_readers="may have rows that it refused before"
    ),
    ConstraintKeyAdded: _row("safe", "safe", "dangerous", to_writers="may violate it, and nothing refuses the rows"),
    RelyKeyAdded: _row(
        "dangerous",
        "safe",
        "dangerous",
        to_readers="have wrong results where rows violate it",
        to_writers="may violate it, and nothing refuses the rows",
    ),
    ConstraintKeyDropped: _row("dangerous", "safe", "safe", to_readers="may have rows that violate it"),
    RelyAdded: _row("dangerous", "safe", "safe", to_readers="have wrong results where rows violate it"),
    PartitioningChanged: _row("computed", "predicted", "computed", "computed"),
    ClusteringChanged: _row("safe", "predicted", "computed", "computed"),
    ChangeFeedDisabled: _row(
        "safe", "safe predicted breaking", "safe", to_streams="cannot read later changes from the feed"
    ),
    AppendOnlyDisabled: _row(
        "dangerous",
        "dangerous",
        "safe",
        to_readers="may have rows that change and disappear",
        to_streams="fail at the first commit that changes or removes rows, or read it from the feed",
    ),
    RetentionShortened: _row(
        "dangerous",
        "dangerous",
        "safe",
        to_readers="travel back less far in time",
        to_streams="cannot continue after they were stopped for longer than that",
    ),
    PropertyChanged: _row("safe", "predicted", "computed"),
    FeatureEnabled: _row("safe safe computed", "predicted", "computed", "computed"),
    ColumnMappingDropped: _row("safe", "predicted", "computed"),
    CommitsManagedByCatalog: _row(
        "breaking", "breaking", "breaking", "computed", to_readers=_PATH, to_streams=_PATH, to_writers=_PATH
    ),
    OtherFormatDisabled: _row(
        "dangerous", "predicted", "computed", "dangerous", to_readers=_OTHER_FORMAT, to_clients=_OTHER_FORMAT
    ),
    CommentChanged: _row("safe", "safe predicted safe", "safe"),
    TagChanged: _row("safe", "safe predicted safe", "safe"),
    ConvertedToDelta: _row(
        "dangerous dangerous breaking",
        "predicted",
        "breaking",
        to_readers="see removed rows if they read the files",
        to_writers="damage the table if they write files",
    ),
    TableRemoved: _row("breaking", "breaking", "breaking", to_readers=_GONE, to_streams=_GONE, to_writers=_GONE),
    TableIntroduced: _row("safe", "safe", "safe"),
    AspectNotOwned: _row("dangerous", "dangerous", "safe", to_readers=_UNPROMISED, to_streams=_UNPROMISED),
    AdditiveEvolution: _row(
        "dangerous",
        "dangerous",
        "safe",
        to_readers="meet columns that are not in the contract",
        to_streams="meet columns that are not in the contract",
    ),
    DeprecationBackdated: _row(
        "dangerous", "dangerous", "dangerous", to_readers=_LATE, to_streams=_LATE, to_writers=_LATE
    ),
    SunsetMovedNearer: _row(
        "dangerous",
        "dangerous",
        "dangerous",
        to_readers=_SOONER,
        to_streams=_SOONER,
        to_writers=_SOONER,
    ),
}
"""The row of each kind of change."""


def cell_of(row: type[HasCode], role: Role) -> Cell:
    """Return the verdict of a kind of change on a role, or where the verdict is from."""
    return VERDICT_TABLE[row].cells[role]

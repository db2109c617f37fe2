"""What every kind of change says of itself: code, aspect, step, risk, consent, and the lines that show it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from enum import IntEnum, auto
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from pytest_delta_schema.diagnostics.redaction import without_tokens
from pytest_delta_schema.state.features import unsupported_features
from pytest_delta_schema.state.states import PRIMARY_KEY, ForeignKeyState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.state.states import KeyState, TableState


class Risk(IntEnum):
    """Classes of risk, the lower ones first."""

    METADATA = 1
    """A commit that readers and writers hardly notice."""

    FEATURE = 2
    """Raises the protocol of the table, so old clients may no longer read it; this is permanent."""

    SCAN = 3
    """Reads all data, and is refused if the data does not allow it."""

    REWRITE = 4
    """Writes all data again."""

    DESTRUCTIVE = 5
    """Loses data."""

    @property
    def label(self) -> str:
        """The class as users write it."""
        return self.name.lower()


class Step(IntEnum):
    """The steps of an alignment, in order; readers can live with every state between two of them."""

    CONVERT = auto()
    DROP_FOREIGN_KEYS = auto()
    ENABLE_FEATURES = auto()
    """Properties, if a later change needs a table feature that they enable."""
    DROP_PRIMARY_KEY = auto()
    DROP_UNIQUE = auto()
    DROP_CHECKS = auto()
    UNSET_TAGS = auto()
    RENAME_COLUMNS = auto()
    ADD_COLUMNS = auto()
    CHANGE_TYPES = auto()
    CHANGE_CLUSTERING = auto()
    REWRITE_LAYOUT = auto()
    DROP_COLUMNS = auto()
    MOVE_COLUMNS = auto()
    CHANGE_DEFAULTS = auto()
    CHANGE_GENERATION = auto()
    CHANGE_NULLABILITY = auto()
    ADD_CHECKS = auto()
    ADD_PRIMARY_KEY = auto()
    ADD_UNIQUE = auto()
    SET_COLUMN_COMMENTS = auto()
    SET_TABLE_COMMENT = auto()
    SET_PROPERTIES = auto()
    UNSET_PROPERTIES = auto()
    REMOVE_COLUMN_MAPPING = auto()
    """Late, because dropped and renamed columns need column mapping."""
    SET_TAGS = auto()
    ADD_FOREIGN_KEYS = auto()


ADD, DROP = "+", "-"
ABSENT, NOT_IN_MODEL = "(absent)", "(not in the model)"


class ChangeLine(NamedTuple):
    """One thing that changes."""

    marker: str
    """``+`` is added, ``-`` is dropped, ``~`` changes in place."""
    path: str
    """Where inside the table: ``columns.id``, ``columns.id.comment``, ``properties.team``, ``primary_key``."""
    before: str
    after: str
    risk: Risk = Risk.METADATA
    loss: str = ""
    """What clients lose if it raises the protocol."""
    code: str = ""
    """The code of the difference, such as ``DD102``."""

    def __str__(self) -> str:
        return f"{self.marker} {self.path}: {self.before} -> {self.after}"

    @classmethod
    def of(cls, path: str, before: str | None, after: str | None, *, loss: str = "") -> ChangeLine:
        """Return the line of a part; ``None`` is what the table lacks, before or after the change."""
        marker = ADD if before is None else DROP if after is None else "~"
        return cls(marker, path, ABSENT if before is None else before, ABSENT if after is None else after, loss=loss)


ConsentAction = Literal["drop-column", "rewrite"]
"""What somebody has to consent to."""


class Change:
    """One change of an existing table: a kind of change is a class, named after what an apply does.

    The docstring of a kind explains the difference for which it is planned, for users (``explain``) as well. Layers
    above say what a kind means for them: ``sql`` renders it, catalogs run it.
    """

    __slots__ = ()

    code: ClassVar[str]
    """The code of the difference, such as ``DD102``."""
    drift: ClassVar[str]
    """The name of the difference, such as ``ColumnMissing``."""
    aspect: ClassVar[Aspect | Literal["conversion"]]
    """The aspect of ownership to which it belongs, or the conversion to Delta, which is none of them."""
    step: ClassVar[Step]
    """When it runs."""
    own_risk: ClassVar[Risk]
    """What it costs, apart from features that it enables."""
    consent: ClassVar[ConsentAction | None] = None
    """What somebody has to consent to before it runs; ``None`` for nothing."""
    needs_feature: ClassVar[bool] = False
    """Whether Delta may refuse it until a property has enabled a table feature."""

    @property
    def risk(self) -> Risk:
        """What the change may cost."""
        return self.own_risk

    @property
    def enables(self) -> tuple[str, ...]:
        """What it enables in the protocol of its table: features, and properties that set a version."""
        return ()

    def lines(self, observed: TableState) -> Iterator[ChangeLine]:
        """Yield the lines that show it on a table in its observed state, without tokens."""
        for line in self._lines(observed):
            before, after = without_tokens(line.before), without_tokens(line.after)
            yield line._replace(before=before, after=after, risk=self.risk, code=self.code)

    def _lines(self, observed: TableState) -> Iterator[ChangeLine]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class EnablingChange(Change):
    """A change for which Delta may enable table features."""

    enables: tuple[str, ...] = ()

    @property
    def risk(self) -> Risk:
        """What the change may cost."""
        return max(self.own_risk, Risk.FEATURE) if self.enables else self.own_risk

    def on(self, observed: TableState) -> Change:
        """Return the change of a table, with what it enables there."""
        missing = unsupported_features(frozenset(self._features()), observed)
        return replace(self, enables=tuple(sorted(missing))) if missing else self

    @abstractmethod
    def _features(self) -> Iterable[str]:
        """Return the table features that it needs, whether the table supports them or not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyAdd(Change):
    """Add a key over at least one column."""

    own_risk = Risk.SCAN

    key: KeyState | ForeignKeyState

    def __post_init__(self) -> None:
        require_change(self, bool(self.key.columns))

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine.of(self.key.path, None, describe_key(self.key))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDrop(Change):
    """Drop a key."""

    own_risk = Risk.METADATA

    key: KeyState | ForeignKeyState

    def _lines(self, _observed: TableState) -> Iterator[ChangeLine]:
        yield ChangeLine.of(self.key.path, describe_key(self.key), None)


def describe_key(key: KeyState | ForeignKeyState) -> str:
    """Write a key without its path: ``(customer_id) references dev.silver.customers (id)``."""
    columns, rely = f"({', '.join(key.columns)})", " rely" if key.rely else ""
    if isinstance(key, ForeignKeyState):
        parent_columns = f" ({', '.join(key.parent_columns)})" if key.parent_columns else ""
        return f"{columns} references {key.parent}{parent_columns}{rely}"
    return f"{key.name} {columns}{rely}" if key.kind == PRIMARY_KEY else columns


def with_enabled(changes: Iterable[Change], observed: TableState) -> Iterator[Change]:
    """Yield the changes of a table, with the features that each of them enables in its protocol."""
    for change in changes:
        yield change.on(observed) if isinstance(change, EnablingChange) else change


def require_change(action: object, condition: bool) -> None:  # noqa: FBT001 - a guard
    """Refuse an action that would change nothing."""
    if not condition:
        msg = f"{type(action).__name__} would change nothing; leave it out of the plan"
        raise ValueError(msg)

"""What each kind of change declares next to its class: aspect, step, risk, the lines that describe it, consent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum, auto
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from pytest_delta_schema.state.features import unsupported_features

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.state.states import TableState


_C = TypeVar("_C")


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


ADD, DROP, CHANGE = "+", "-", "~"
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


ConsentAction = Literal["drop-column", "rewrite"]
"""What somebody has to consent to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeKind:
    """The properties of one kind of change that the stages use."""

    aspect: Aspect | Literal["conversion"]
    """The aspect of ownership to which it belongs, or the conversion to Delta, which is none of them."""
    drift: type[HasCode]
    """The difference for which it is planned: a class with a code, whose docstring explains it."""
    step: Step
    """When it runs."""
    risk: Risk | Callable[[Any], Risk]
    """What it may cost; a function if that depends on the change."""
    describe: Callable[[Any, Any], Iterator[ChangeLine]]
    """Returns the lines that show a change of a table in its observed state."""
    consent: ConsentAction | None = None
    """What somebody has to consent to before it runs; ``None`` for nothing."""
    needs_feature: bool = False
    """Whether Delta may refuse it until a property has enabled a table feature."""
    features: Callable[[Any], Iterable[str]] | None = None
    """Returns the table features that a change of the kind needs, and that Delta enables with it; the class has the
    field ``enables``, for those that the table does not support."""
    needs_data_check: bool = False
    """Whether the rows of the table may forbid it."""
    key: Literal["add", "drop"] | None = None
    """Whether it adds or drops its ``key``; ``None`` for a kind of change without one."""


KINDS: dict[type, ChangeKind] = {}
"""Every kind of change by its class; complete as soon as ``plan.changes`` is imported."""


def declare(kind: ChangeKind) -> Callable[[type[_C]], type[_C]]:
    """Declare a class as a kind of change."""

    def add(class_: type[_C]) -> type[_C]:
        KINDS[class_] = kind
        return class_

    return add


def kind_of(change: object) -> ChangeKind:
    """Return the declaration of a change's kind."""
    kind = KINDS.get(type(change))
    if kind is None:
        msg = f"{type(change).__name__} is not a kind of change; declare it in plan/changes"
        raise TypeError(msg)
    return kind


def risk_of(change: object) -> Risk:
    """Return the risk of one change of an existing table."""
    risk = kind_of(change).risk
    own = risk(change) if callable(risk) else risk
    return max(own, Risk.FEATURE) if enabled_by(change) else own


def enabled_by(change: object) -> tuple[str, ...]:
    """Return what a change enables in the protocol of its table: features, and properties that set a version."""
    enabled: tuple[str, ...] = getattr(change, "enables", ())
    return enabled


def with_enabled(changes: Iterable[_C], observed: TableState) -> Iterator[_C]:
    """Yield the changes of a table, with the features that each of them enables in its protocol."""
    for change in changes:
        needed = kind_of(change).features
        features = () if needed is None else frozenset(needed(change))
        missing = unsupported_features(features, observed) if features else ()
        yield replace(change, enables=tuple(sorted(missing))) if missing else change  # type: ignore[type-var]


def require_change(action: object, condition: bool) -> None:  # noqa: FBT001 - a guard
    """Refuse an action that would change nothing."""
    if not condition:
        msg = f"{type(action).__name__} would change nothing; leave it out of the plan"
        raise ValueError(msg)

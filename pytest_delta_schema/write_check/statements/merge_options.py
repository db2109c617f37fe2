"""Describes a MERGE by its clauses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.arguments import refuses_wrong_arguments
from pytest_delta_schema.models.argument_checks.wrong_kinds import argument_text

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

    Action: TypeAlias = Literal["all", "delete"] | Mapping[str, str | DataType]
    Clause: TypeAlias = Action | "When"

ClauseKind = Literal["matched", "not_matched", "not_matched_by_source"]
CLAUSE_KINDS: tuple[ClauseKind, ...] = get_args(ClauseKind)

_ACTIONS: dict[ClauseKind, tuple[str, ...]] = {
    "matched": ("all", "delete"),
    "not_matched": ("all",),
    "not_matched_by_source": ("delete",),
}
"""What a clause of a kind does, other than assign values."""


@dataclass(frozen=True, slots=True)
class When:
    """A clause of a MERGE that has a condition.

    Args:
        condition: In SQL, with the names ``target`` and ``source`` for the two sides.
        then: What the clause does, as without a condition.
    """

    condition: str
    then: Action


@refuses_wrong_arguments
@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Describe a MERGE, whose source is the frame.

    A clause is ``"all"`` (``UPDATE SET *``, ``INSERT *``), ``"delete"``, or a mapping of columns of the target to what
    is assigned to them: the name of a column of the source, or the type of an expression. Names of fields have dots.
    Several clauses of a kind are a list; all but the last have a condition, as a :class:`When`.

    Args:
        matched: What ``WHEN MATCHED`` does; ``None`` if there is no such clause.
        not_matched: What ``WHEN NOT MATCHED`` does: ``"all"`` or the columns of an INSERT.
        not_matched_by_source: What ``WHEN NOT MATCHED BY SOURCE`` does: ``"delete"``, or assignments of types.
        evolves: Whether the schema may evolve: ``WITH SCHEMA EVOLUTION``, ``withSchemaEvolution()``, or the session's
            setting ``spark.databricks.delta.schema.autoMerge.enabled``. SQL has the clause from Spark 4.1 on; before
            that, the setting is meant.

    Raises:
        DeclarationError: If there is no clause, or clauses have no possible meaning.
    """

    matched: Clause | Sequence[Clause] | None = None
    not_matched: Clause | Sequence[Clause] | None = None
    not_matched_by_source: Clause | Sequence[Clause] | None = None
    evolves: bool = False

    def __post_init__(self) -> None:
        if all(getattr(self, kind) is None for kind in CLAUSE_KINDS):
            msg = 'Merge has no clause; write such as Merge(matched="all", not_matched="all")'
            raise DeclarationError(msg)
        clauses = [(kind, clause) for kind in CLAUSE_KINDS for clause in clauses_of(self, kind)]
        unknown = [f"{kind}={argument_text(clause)}" for kind, clause in clauses if not _is_clause(kind, clause)]
        if unknown:
            actions = "; ".join(f"{kind}: {', '.join(_ACTIONS[kind])} or a mapping of columns" for kind in CLAUSE_KINDS)
            msg = f"Merge does not know {', '.join(unknown)}; write one of {actions}"
            raise DeclarationError(msg)
        hidden = [kind for kind in CLAUSE_KINDS if None in map(clause_condition, clauses_of(self, kind)[:-1])]
        if hidden:
            fact = f"clauses without condition hide those after them, in {', '.join(hidden)}"
            msg = f'{fact}; write When("...", then="delete")'
            raise DeclarationError(msg)


def clauses_of(merge: Merge, kind: ClauseKind) -> tuple[Clause, ...]:
    """Return the clauses of a kind."""
    given = getattr(merge, kind)
    if given is None:
        return ()
    return tuple(given) if isinstance(given, (list, tuple)) else (given,)


def clause_condition(clause: Clause) -> str | None:
    """Return the condition of a clause."""
    return clause.condition if isinstance(clause, When) else None


def clause_action(clause: Clause) -> Action:
    """Return what a clause does."""
    return clause.then if isinstance(clause, When) else clause


def _is_clause(kind: ClauseKind, clause: object) -> bool:
    if isinstance(clause, When):
        return bool(str(clause.condition).strip()) and _is_action(kind, clause.then)
    return _is_action(kind, clause)


def _is_action(kind: ClauseKind, action: object) -> bool:
    from pyspark.sql.types import DataType  # noqa: PLC0415 - options are made without pyspark

    if not isinstance(action, Mapping):
        return action in _ACTIONS[kind]
    values = DataType if kind == "not_matched_by_source" else (DataType, str)
    return bool(action) and all(isinstance(name, str) and isinstance(action[name], values) for name in action)

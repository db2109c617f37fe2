"""Judge a contract against the released one, by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.comparison import contract_changes, unjudged, whole_table
from pytest_delta_schema.compatibility.contract_change import StatePair
from pytest_delta_schema.compatibility.effects import Judged, effects_on
from pytest_delta_schema.compatibility.finding import CompatibilityFinding
from pytest_delta_schema.delta.clients.client_features import ClientFeatures
from pytest_delta_schema.delta.spark_pairs import NEWEST
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind
from pytest_delta_schema.models.clients import require_clients
from pytest_delta_schema.models.names import require_names
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.settings.compatibility_roles import DEFAULT_ROLES, ROLES
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import TableState
from pytest_delta_schema.write_check.method import require_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.compatibility.contract_change import ContractChange
    from pytest_delta_schema.settings.compatibility_roles import Role

UNKNOWN_PARTS = (*ASPECTS, "ownership", "evolution")
"""What a released state may not hold."""


def judge_change(  # noqa: PLR0913 - what a project knows about its contract
    old: Table | TableState | None,
    new: Table | TableState | None,
    *,
    roles: Iterable[Role] = DEFAULT_ROLES,
    clients: Iterable[str] = (),
    client_features: ClientFeatures = ClientFeatures(),  # noqa: B008 - never changed
    unknown: Iterable[str] = (),
    new_tables: Iterable[Table | TableState] = (),
    version: tuple[int, int] = NEWEST,
) -> tuple[CompatibilityFinding, ...]:
    """Judge whom a contract breaks, compared with the released one, and who has to be upgraded first.

    Only what the change brings counts, and only what the contract owns. Streams and writers are predicted: what a
    stream does over the change, and whether the new table refuses what the released one accepts.

    Args:
        old: The released contract, as a model or as its state; ``None`` for a new table.
        new: The contract that is to be released; ``None`` for a table that has left it.
        roles: Who is judged, by default ``readers``, ``streams``, ``writers``, ``writers-by-merge`` and ``clients``.
        clients: The clients of the project, such as ``trino>=470``, for a released contract that lists none.
        client_features: The table of clients, with the corrections of the project.
        unknown: What the released state does not hold, such as one of a SQL script: aspects, ``ownership`` and
            ``evolution``.
        new_tables: The other tables that are new in the same release; one with the same columns is named for a table
            that is gone.
        version: Delta's version, major and minor.

    Returns:
        A finding for each change and role, safe ones included, in the order of the plan and of the roles.

    Raises:
        DeclarationError: If an argument has no possible meaning.
    """
    wanted = [role for role in ROLES if role in _known(roles, ROLES, "roles")]
    unheld = _known(unknown, UNKNOWN_PARTS, "unknown")
    listed = require_clients(clients, "judge_change: ")
    require_version(version)
    before, after = _state("old", old), _state("new", new)
    others = [table for given in new_tables if (table := _state("new_tables", given)) is not None]
    judged: list[tuple[ContractChange, str | None]]
    if before is None or after is None:
        table = before or after
        if table is None:
            msg = "judge_change: old and new are None; give a table as one of them"
            raise DeclarationError(msg)
        judged, states = [(whole_table(before, others), "")], StatePair(table, table)
    elif before.name != after.name:
        msg = f"judge_change: old is {before.name}, and new is {after.name}; give one table before and after its change"
        raise DeclarationError(msg)
    else:
        table = before
        states, differences = contract_changes(before, after)
        judged = [(change, unjudged(change, before, after, unheld)) for change in differences]
    own = [(change, reason) for change, reason in judged if reason is not None]
    if not own:
        return ()
    return tuple(
        _findings(
            Judged(
                changes=[change for change, _ in own],
                others=[change for change, reason in judged if reason is None],
                reasons=[reason for _, reason in own],
                states=states,
                clients=table.clients or listed,
                client_features=client_features,
                version=version,
            ),
            wanted,
        )
    )


def _findings(judged: Judged, roles: Sequence[Role]) -> Iterator[CompatibilityFinding]:
    released = judged.states.old
    effects = {role: effects_on(role, judged) for role in roles}
    for at, change in enumerate(judged.changes):
        for role in roles:
            effect = effects[role][at]
            yield CompatibilityFinding(
                code=change.row.code,
                rule=change.row.__name__,
                role=role,
                verdict=effect.verdict,
                table=released.logical_name or released.name,
                path=change.path,
                column=change.column,
                before=change.before,
                after=change.after,
                reason=effect.reason,
                upgrade_first=effect.upgrade_first,
                remedy=effect.remedy,
                subject=change.subject,
            )


def _known(given: object, known: Sequence[str], argument: str) -> tuple[str, ...]:
    """Return words of a fixed list.

    Raises:
        DeclarationError: If they are not, or one of them is unknown.
    """
    words = require_names(given, f"{argument} of judge_change")
    others = [word for word in words if word not in known]
    if others:
        msg = f"judge_change: {argument} has {', '.join(map(repr, others))}; write such as {', '.join(known)}"
        raise DeclarationError(msg)
    return words


def _state(argument: str, given: object) -> TableState | None:
    """Return the state of a model, or a state itself.

    Raises:
        DeclarationError: If it is something else.
    """
    if given is None or isinstance(given, TableState):
        return given
    if not isinstance(given, Table):
        refuse_kind("judge_change", "a Table, a TableState or None", given, f"give a model or a state as {argument}")
    return desired_state(given)

"""The verdicts on clients: whether they know the table features that a change enables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.features import loss
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.rules.clients import client_gaps
from pytest_delta_schema.state.required_features import RequiredFeature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.compatibility.contract_change import ContractChange
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict
    from pytest_delta_schema.delta.clients.client_features import ClientFeatures


class ClientEffect(NamedTuple):
    """The effect of a change on the clients of a table."""

    verdict: CompatibilityVerdict
    reason: str
    remedy: str


def client_effect(
    change: ContractChange, clients: Sequence[str], client_features: ClientFeatures
) -> ClientEffect | None:
    """Return the effect of a change on the clients; ``None`` if all of them can use the table after it."""
    if change.remark:
        return ClientEffect("breaking", f"cannot have it, because {change.remark}", "leave the type as it is")
    if not change.features:
        return None
    if not clients:
        return ClientEffect(
            "dangerous", loss(change.features).removeprefix("clients "), "list the clients of the table in clients"
        )
    needs = [
        RequiredFeature(name=name.removeprefix(FEATURE_PREFIX), path=change.path, causes=(change.subject,))
        for name in change.features
    ]
    gaps = [*client_gaps(needs, clients, client_features)]
    certain = [gap for gap in gaps if gap.is_certain]
    if certain:
        remedies = dict.fromkeys(f"use {gap.client.name}>={gap.support.since}" for gap in certain if gap.support.since)
        return ClientEffect("breaking", "; ".join(gap.message for gap in certain), ", ".join(remedies))
    if gaps:
        names = ", ".join(dict.fromkeys(str(gap.client) for gap in gaps))
        what = ", ".join(dict.fromkeys(need.name for gap in gaps for need in gap.needs))
        return ClientEffect(
            "not judged", f"may fail, because it is not known whether {names} can use {what}", "set client_features"
        )
    return None

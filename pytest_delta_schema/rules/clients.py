"""Rules about clients: which table features each of them reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.clients import ClientFeatures
from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX, FEATURES, base_feature, feature_of, is_read_by_clients
from pytest_delta_schema.diagnostics.errors import note
from pytest_delta_schema.diagnostics.faults import UncertainClient
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.models.clients import parse_client
from pytest_delta_schema.plan.actions import AlignTable, CreateTable
from pytest_delta_schema.plan.changes import SetTableProperties
from pytest_delta_schema.rules.rule import AlignmentRule, BuiltInModelRule, Fault
from pytest_delta_schema.settings.table import toml_setting
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.features import RequiredFeature, required_features

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.delta.clients import Support
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.clients import Client
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import TableState

_STORED, _PLANNED = "the table has it", "the plan enables it"


class FeatureUnsupportedByClient(BuiltInModelRule):
    """A declaration needs a table feature that one of the clients cannot read or write.

    The clients are those of the argument ``clients`` of the table, else of the setting ``clients``. Columns, types,
    defaults, checks, clustering and properties need features.

    Remedy: Declare something else, raise the version of the client, or correct the table of clients with the setting
    ``client_features``.

    Example:
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, clustered_by=["id"], clients=["trino>=400"])
    """

    code = "DS126"

    def __init__(self, client_features: ClientFeatures = ClientFeatures()) -> None:  # noqa: B008 - never changed
        self.client_features = client_features

    def _faults(self, table: Table) -> Iterator[Fault]:
        if table.clients:
            desired = desired_state(table)
            gaps = client_gaps(required_features(desired), table.clients, self.client_features)
            yield from _client_faults(desired.name, gaps)


class TableUnusableByClient(AlignmentRule):
    """An existing table has a table feature, or gets it by the plan, that one of the clients cannot read or write.

    What the declaration itself needs is reported for the declaration.

    Remedy: Drop the feature, raise the version of the client, or correct the table of clients with the setting
    ``client_features``.

    Example:
        vectors = {"delta.feature.deletionVectors": "supported"}
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")], table_properties=vectors)
        columns = [Column("id", "bigint"), Column("note", "string")]
        model = Table("dev", "silver", "orders", columns, clients=["trino>=430"])
    """

    code = "DS221"

    def __init__(self, client_features: ClientFeatures = ClientFeatures()) -> None:  # noqa: B008 - never changed
        self.client_features = client_features

    def _faults_of_alignment(self, action: AlignTable) -> Iterator[Fault]:
        if action.desired.clients:
            needs = _undeclared(action.desired, action.observed, action)
            gaps = client_gaps(needs, action.desired.clients, self.client_features)
            yield from _client_faults(action.table, gaps)


def _client_faults(table: QualifiedName, gaps: Iterable[ClientGap]) -> Iterator[Fault]:
    """Yield each client that is known to lack features of a table, for reading or for writing."""
    for gap in gaps:
        if gap.is_certain:
            remedy = ", or ".join([gap.way_without(table), *gap.remedies])
            yield Fault(gap.message, remedy, gap.needs[0].path)


def notes_on_clients(
    desired: TableState,
    client_features: ClientFeatures,
    observed: TableState | None = None,
    action: CreateTable | AlignTable | None = None,
) -> Iterator[Diagnostic]:
    """Yield a note for each client of which it is not known whether it can use a table."""
    live: list[RequiredFeature] = []
    if observed is not None and observed.exists:
        live = _undeclared(desired, observed, action if isinstance(action, AlignTable) else None)
    for gap in client_gaps(live if action is None else [], desired.clients, client_features):
        if gap.is_certain:
            yield note(UncertainClient, desired.name, gap.needs[0].path, gap.message)
    needs = [*required_features(desired), *live]
    for client in dict.fromkeys(desired.clients):
        unknown = [gap for gap in client_gaps(needs, [client], client_features) if not gap.is_certain]
        names = {
            verb: sorted({need.name for gap in unknown if gap.verb == verb for need in gap.needs})
            for verb in ("read", "write")
        }
        if unknown:
            what = " and ".join(f"{verb} {', '.join(features)}" for verb, features in names.items() if features)
            entries = sorted(entry for gap in unknown for entry in gap.corrections.items())
            way = f"if it can, set {toml_setting('client_features', dict(entries))}"
            fact = f"it is not known whether {client} can {what}; {way}"
            yield note(UncertainClient, desired.name, part_path("clients"), fact)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientGap:
    """Features that a client lacks, or of which it is not known, all for one reason."""

    client: Client
    verb: str
    """What it cannot do with a table: ``read`` or ``write``."""
    support: Support
    """The versions that can."""
    source: str
    needs: Sequence[RequiredFeature]

    @property
    def is_certain(self) -> bool:
        """Whether it is known that the client lacks the features."""
        return self.support.of(self.client.numbers) is False

    @property
    def message(self) -> str:
        """The fact and its reason."""
        features = ", ".join(f"{need.name} ({', '.join(need.causes)})" for need in self.needs)
        noun = "the table feature" if len(self.needs) == 1 else "the table features"
        return f"{self.client} cannot {self.verb} {noun} {features}: {self.support.reason} ({self.source})"

    def way_without(self, table: QualifiedName) -> str:
        """Return how a table does without the features: what it has is dropped, and the rest is left out."""
        them = "it" if len(self.needs) == 1 else "them"
        name = ".".join(map(identifier, table.written))
        stored = [f"ALTER TABLE {name} DROP FEATURE {need.name}" for need in self.needs if need.causes == (_STORED,)]
        if stored:
            return f"drop {them}: {'; '.join(stored)}"
        is_planned = self.needs[0].causes == (_PLANNED,)
        return "leave out the change that needs it" if is_planned else f"leave {them} out"

    @property
    def corrections(self) -> dict[str, str]:
        """The entries of the setting that correct the table of clients."""
        names = [base_feature(need.name) for need in self.needs]
        keys = [name if name in FEATURES else f"{FEATURE_PREFIX}{name}" for name in names]
        return {f"{self.client.name}.{key}": self.client.version or "yes" for key in keys}

    @property
    def remedies(self) -> Iterator[str]:
        """The changes of the clients that would resolve it."""
        if self.support.since:
            yield f'list "{self.client.name}>={self.support.since}" in clients'
        if self.verb == "write":
            yield f'list "{self.client} (read)" if it never writes the table'
        yield f"if this is outdated, set {toml_setting('client_features', self.corrections)}"


def client_gaps(
    needs: Iterable[RequiredFeature], clients: Iterable[str], client_features: ClientFeatures
) -> Iterator[ClientGap]:
    """Yield what clients cannot do with features; for a feature without that, what they may not be able to do."""
    groups: dict[tuple[Client, str, Support, str], list[RequiredFeature]] = {}
    for client, need in product(map(parse_client, dict.fromkeys(clients)), needs):
        for group in _missing(need.name, client, client_features):
            groups.setdefault((client, *group), []).append(need)
    for (client, verb, support, source), features in groups.items():
        yield ClientGap(client=client, verb=verb, support=support, source=source, needs=features)


def _missing(feature: str, client: Client, client_features: ClientFeatures) -> list[tuple[str, Support, str]]:
    """Return what a client has to do with a table that has a feature, and cannot, or perhaps cannot."""
    cell = client_features.cell(client.name, feature)
    wanted = [("read", cell.reads, cell.source)] if is_read_by_clients(feature) else []
    wanted += [] if client.only_reads else [("write", cell.writes, cell.source)]
    answers = [support.of(client.numbers) for _, support, _ in wanted]
    if False in answers:
        return [wanted[answers.index(False)]]
    return [want for want, answer in zip(wanted, answers, strict=True) if answer is None]


def _undeclared(desired: TableState, observed: TableState, action: AlignTable | None) -> list[RequiredFeature]:
    """Return the features that a table has, or gets by its plan, less those that its declaration needs."""
    planned = action.one(SetTableProperties) if action is not None else None
    properties = planned.properties.items() if planned is not None else ()
    causes = {feature: _PLANNED for key, value in properties if (feature := feature_of(key, value)) is not None}
    causes.update({need.name: _STORED for need in required_features(observed)})
    for need in required_features(desired):
        causes.pop(need.name, None)
    return [RequiredFeature(name=name, path=part_path("features", name), causes=(why,)) for name, why in causes.items()]

"""The models of a project under its settings, bound to a catalog, and the tables that variables of a module hold."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib.util import module_from_spec, spec_from_file_location
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from pytest_delta_schema import execute, sql
from pytest_delta_schema.delta.clients import ClientFeatures
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import DeclarationError, InvalidModelError, note
from pytest_delta_schema.diagnostics.faults import NotCreatable
from pytest_delta_schema.diagnostics.text import HIDDEN
from pytest_delta_schema.execute.protocols import COUNT, OFF, Preflight
from pytest_delta_schema.models.clients import client_faults
from pytest_delta_schema.models.sets import Binding, dependency_groups
from pytest_delta_schema.models.table import Table, derived
from pytest_delta_schema.plan.kinds import Risk
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.plan.property_policy import PropertyPolicy
from pytest_delta_schema.rules.clients import notes_on_clients
from pytest_delta_schema.rules.columns import InvalidColumnName, NotNullInCollection
from pytest_delta_schema.rules.validator import PlanValidator, default_model_rules, default_plan_rules
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import ModuleType
    from typing import TypeVar

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
    from pytest_delta_schema.engine.outcomes import TableChange
    from pytest_delta_schema.engine.source_map import Listing, SourceLocations
    from pytest_delta_schema.execute.protocols import DeltaDDL
    from pytest_delta_schema.execute.runner import ActionRunner
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.rules.rule import ModelRule, PlanRule
    from pytest_delta_schema.state.states import TableState


@dataclass(frozen=True, slots=True)
class BoundModel:
    """A model with the table that it maps to in a catalog, under the settings of a project."""

    model: Table
    """The declaration."""
    table: Table
    """What it declares of the table in the catalog, with the default properties and clients of the project."""
    name: QualifiedName
    """The name of that table."""

    @classmethod
    def of(cls, model: Table, settings: Settings) -> BoundModel:
        """Bind a model; a table that was derived from a model is that of the catalog already."""
        table = declared(model, settings)
        if settings.bindings and _is_declaration(model):
            table = Binding(settings.bindings).table(table)
        if table is not model and table.name == model.name:
            table = _named_by_itself(table)
        return cls(model, table, table.name)


def declared(table: Table, settings: Settings) -> Table:
    """Return a model with the default properties and the clients of the project, still under its own name."""
    defaults = dict(settings.default_properties)
    clients = table.clients or settings.clients
    is_whole = clients == table.clients and not defaults.keys() - table.table_properties.keys()
    if is_whole or not _is_declaration(table):
        return table
    properties = MappingProxyType({**defaults, **table.table_properties})
    return derived(table, table_properties=properties, clients=clients)


def model_of_copy(table: Table, settings: Settings, **changes: Any) -> Table:
    """Return a model for a table of another name, with the same declaration; bindings do not apply to it.

    It has no foreign keys, because the parents of a copy have other names, too, and it converts no files, because those
    belong to the table of the model.
    """
    values: dict[str, Any] = {field.name: getattr(table, field.name) for field in fields(table) if field.init}
    made = Table(**{**values, "foreign_keys": (), "convert_from": None, "read_only": False, **changes})
    return _named_by_itself(declared(made, settings))


def _named_by_itself(table: Table) -> Table:
    """Return a table in a catalog, whose keys are named after it."""
    return derived(table, origin=table.origin._replace(name=None))


def _is_declaration(table: Table) -> bool:
    """Whether a table is a declaration, and not derived from one for a catalog."""
    return table.origin.name == table.name


if TYPE_CHECKING:
    _Located = TypeVar("_Located", Diagnostic, TableChange)


class ReviewedTexts(NamedTuple):
    """The texts of the snapshot of a table, under the name of its model."""

    sql: str
    state: str
    """Its state as JSON."""


def snapshot_text(sql: str) -> str:
    """Return SQL as its snapshot holds it: with Unix line ends and one at the end."""
    text = sql.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"
    # A lone surrogate cannot be written to a file, nor to any catalog.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# Characters with a meaning in node ids, file names or syrupy.
_UNSAFE = re.compile(rf'[\[\]%/\\?*|"<>`]|:|[^\S ]|{HIDDEN}')
_LONGEST_NAME = 180


def node_name(qualified_name: str) -> str:
    """Return a name that can be selected on the command line and stored as a file, one for each table."""
    name = _UNSAFE.sub(lambda match: quote(match.group(), safe="", errors="surrogatepass"), qualified_name)
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(qualified_name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{name.encode()[:_LONGEST_NAME].decode(errors='ignore')}~{digest}"


class Declarations:
    """The models of a project with everything about them that needs no catalog; each part is computed once."""

    def __init__(
        self,
        settings: Settings,
        tables: Mapping[QualifiedName, Table],
        listings: Mapping[QualifiedName, Listing] = MappingProxyType({}),
    ) -> None:
        self.settings = settings
        self.tables = tables
        self._listings = listings
        self._bound: dict[QualifiedName, BoundModel] = {}
        self._violations: dict[QualifiedName, tuple[Diagnostic, ...]] = {}
        self._creation_notes: dict[QualifiedName, tuple[Diagnostic, ...]] = {}
        self._last: tuple[Table, TableState] | None = None

    @cached_property
    def planner(self) -> TablePlanner:
        """The planner that compares as the settings say."""
        return planner_of(self.settings)

    @cached_property
    def client_features(self) -> ClientFeatures:
        """Which table features each client supports, with the corrections of the project."""
        return client_features_of(self.settings)

    @cached_property
    def validator(self) -> PlanValidator:
        """The rules for an apply: the standard ones and those of the project."""
        return validator_of(self.settings)

    @cached_property
    def drift_validator(self) -> PlanValidator:
        """The rules for a gate, which changes nothing: protected tables are compared like all others."""
        return validator_of(replace(self.settings, protected=()))

    @cached_property
    def _sources(self) -> SourceLocations:
        from pytest_delta_schema.engine.source_map import SourceLocations

        return SourceLocations(self._listings)

    def bound(self, model: Table) -> BoundModel:
        """Return a model with the table that it maps to in the catalog."""
        known = self._bound.get(model.name)
        if known is None or known.model is not model:
            known = self._bound[model.name] = BoundModel.of(model, self.settings)
        return known

    def model_name(self, name: QualifiedName) -> QualifiedName:
        """Return the name that models have for a table in the catalog."""
        return self._model_names.get(name) or self._unbound.name(name)

    @cached_property
    def _model_names(self) -> dict[QualifiedName, QualifiedName]:
        return {self.bound(table).name: name for name, table in self.tables.items()}

    @cached_property
    def _unbound(self) -> Binding:
        """Maps names in the catalog to those of models, which only a table without a model needs."""
        return Binding(tuple((target, prefix) for prefix, target in self.settings.bindings))

    def violations(self, table: Table) -> tuple[Diagnostic, ...]:
        """Return the rules that a declaration breaks."""
        known = self._violations.get(table.name)
        if known is None:
            model = declared(table, self.settings)
            known = self._violations[table.name] = self.validator.model_violations([model])
        return known

    def client_notes(
        self, desired: TableState, observed: TableState | None = None, action: CreateTable | AlignTable | None = None
    ) -> tuple[Diagnostic, ...]:
        """Return the notes on clients of which it is not known whether they can use a table."""
        if not desired.clients:
            return ()
        return tuple(notes_on_clients(desired, self.client_features, observed, action))

    def creation_notes(self, table: Table) -> tuple[Diagnostic, ...]:
        """Return the notes on what Delta would refuse to create, and may be in a table that another writer made."""
        known = self._creation_notes.get(table.name)
        if known is None:
            creation, name = self.planner.creation(self.contract_state(table)), table.qualified_name
            faults = [fault for rule in (InvalidColumnName(), NotNullInCollection()) for fault in rule.check(creation)]
            text = "cannot be created, only compared: {0.message}; to create it, {0.remedy}"
            known = tuple(note(NotCreatable, name, fault.path, text.format(fault)) for fault in faults)
            self._creation_notes[table.name] = known
        return known

    def location(self, table: Table, *, passes: bool) -> Location:
        """Return the location of a declaration."""
        return table.origin.location if passes else self._sources.location(table)

    def located(self, parts: Iterable[_Located], *, passes: bool) -> tuple[_Located, ...]:
        """Return parts of an outcome with the locations of what they are about."""
        return tuple(self._located(part, passes=passes) for part in parts)

    def _located(self, part: _Located, *, passes: bool) -> _Located:
        table = self._declared.get(folded(part.table))
        if table is None or part.location not in {None, table.origin.location}:
            return part
        location = table.origin.location if passes else self._sources.location(table, part.path, part.code)
        return replace(part, location=location)

    @cached_property
    def _declared(self) -> dict[str, Table]:
        """The models by their names and by those of the tables that they map to, in lower case."""
        tables: dict[str, Table | None] = {}
        for table in self.tables.values():
            for name in {folded(str(table.name)), folded(str(self.bound(table).name))}:
                tables[name] = None if name in tables else table
        return {name: table for name, table in tables.items() if table is not None}

    def require_valid(self, models: Iterable[Table]) -> None:
        """Make sure that models break no rule, and that no two of them map to one table."""
        violations = self.validator.model_violations(self.bound(model).table for model in models)
        if violations:
            raise InvalidModelError(violations)

    def reviewed_texts(self, table: Table) -> ReviewedTexts:
        """Return the texts that are reviewed: the SQL that would create the table, and the state that is declared."""
        from pytest_delta_schema.state.json_state import state_json_text

        state = self.contract_state(table)
        planner = self.planner.over(checks_follow=self.settings.checks_follow)
        text = sql.script(sql.statements(planner.creation(state)))
        return ReviewedTexts(
            sql=f"-- read-only\n{text}" if table.read_only else text,
            state=state_json_text(state),
        )

    def contract_state(self, table: Table) -> TableState:
        """Return the state that a model wants, under the name of the model, which need not be said again.

        The last one is kept, because the checks of a table follow each other.
        """
        if self._last is None or self._last[0] is not table:
            self._last = table, replace(desired_state(declared(table, self.settings)), logical_name=None)
        return self._last[1]

    @cached_property
    def children(self) -> dict[QualifiedName, list[QualifiedName]]:
        """The models that declare a foreign key, by the name of its parent."""
        children: dict[QualifiedName, list[QualifiedName]] = {}
        for name, table in self.tables.items():
            for key in table.foreign_keys:
                children.setdefault(key.parent, []).append(name)
        return children

    def apply_rank(self, table: Table) -> int:
        """Return the position of a table in an apply: after the parents of its foreign keys."""
        return self._groups[table.name][0]

    def apply_group(self, table: Table, selected: Iterable[Table]) -> tuple[Table, ...]:
        """Return the selected tables that are aligned together: those whose foreign keys form a circle."""
        chosen = {model.name for model in selected}
        return tuple(model for model in self._groups[table.name][1] if model.name in chosen)

    @cached_property
    def _groups(self) -> dict[QualifiedName, tuple[int, tuple[Table, ...]]]:
        groups = dependency_groups(self.tables.values())
        return {table.name: (rank, group) for rank, group in enumerate(groups) for table in group}


def planner_of(settings: Settings) -> TablePlanner:
    """Return the planner that compares as the settings say."""
    return TablePlanner(enable=settings.enable_features, policy=property_policy_of(settings))


def property_policy_of(settings: Settings) -> PropertyPolicy:
    """Return which table properties the project manages."""
    return PropertyPolicy(settings.properties, keeps_record=settings.owned_properties)


def client_features_of(settings: Settings) -> ClientFeatures:
    """Return which table features each client supports, with the corrections of the project."""
    faults = client_faults(settings.clients)
    try:
        features = ClientFeatures(settings.client_features)
    except ValueError as error:
        faults.append(str(error))
    if faults:
        msg = "; ".join(faults)
        raise DeclarationError(msg)
    return features


def validator_of(settings: Settings) -> PlanValidator:
    """Return the validator with the standard rules and those of the project."""
    model_rules: tuple[ModelRule, ...] = ()
    plan_rules: tuple[PlanRule, ...] = ()
    if settings.rules:
        from pytest_delta_schema.configuration.project_settings import load_rules

        model_rules, plan_rules = load_rules(settings.rules)
    client_features = client_features_of(settings)
    standard = default_plan_rules(
        settings.consents,
        max_risk=Risk[settings.max_risk.upper()],
        protected=settings.protected,
        runs_data_checks=settings.preflight != OFF,
        client_features=client_features,
    )
    return PlanValidator(
        model_rules=[
            *default_model_rules(policy=property_policy_of(settings), client_features=client_features),
            *model_rules,
            *settings.model_rules,
        ],
        plan_rules=[*standard, *plan_rules, *settings.plan_rules],
    )


def preflight_of(settings: Settings) -> Preflight:
    """Return how an apply runs its data checks."""
    return Preflight(settings.preflight or COUNT, samples=settings.preflight_samples)


def runner_of(catalog: DeltaDDL, settings: Settings) -> ActionRunner:
    """Return the runner that changes a catalog as the settings say."""
    restores = settings.on_failure == "restore"
    return execute.ActionRunner.over(catalog, preflight=preflight_of(settings), restores=restores)


CONTAINERS = (list, tuple, dict)


def tables_of_file(path: str) -> dict[str, Table]:
    """Run a module, and return the tables that it declares, by the variables that hold them."""
    spec = spec_from_file_location("delta_schema_written", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module_tables(module)


def module_tables(module: ModuleType) -> dict[str, Table]:
    """Return the tables that the variables of a module hold by themselves, by these variables."""
    return {name: value for name, value in vars(module).items() if type(value) is Table}


def held_tables(value: object, *, or_nothing: bool = False) -> list[Table]:
    """Return the tables that a variable holds, by itself or in lists and dictionaries."""
    tables: list[Table] = []
    for item in held_items(value):
        # The type and not isinstance, which would evaluate lazy proxies.
        if issubclass(type(item), Table):
            tables.append(item)  # type: ignore[arg-type]  # as it says
        elif or_nothing:
            return []
    return tables


def held_items(value: object) -> Iterator[object]:
    """Yield what lists, tuples and dictionaries hold, also inside of each other; any other value by itself."""
    return _items(value, set())


def _items(value: object, seen: set[int]) -> Iterator[object]:
    if not issubclass(type(value), CONTAINERS):
        yield value
    elif id(value) not in seen:
        seen.add(id(value))
        for item in value.values() if isinstance(value, dict) else value:  # type: ignore[attr-defined]  # a container
            yield from _items(item, seen)

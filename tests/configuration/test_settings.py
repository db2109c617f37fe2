"""The settings in force, what they make of a model, and where they come from."""

from __future__ import annotations

from threading import Thread
from typing import get_args

import pytest

from pytest_delta_schema import ForeignKey, MemoryCatalog, Orchestrator, Settings
from pytest_delta_schema.configuration.project_settings import load_rules
from pytest_delta_schema.configuration.values import _TYPED
from pytest_delta_schema.delta.protocol import COLUMN_MAPPING, TYPE_WIDENING
from pytest_delta_schema.engine import current_settings
from pytest_delta_schema.engine.declarations import BoundModel, declared
from pytest_delta_schema.plan import Risk
from pytest_delta_schema.settings import pop_settings, push_settings
from pytest_delta_schema.settings.table import SETTINGS, Feature, RiskLabel, SettingKind
from support import documentation as reference
from support.models import column, table

DEFAULTS = (("team", "platform"), ("delta.appendOnly", True))
BINDINGS = ((("dev",), ("ci",)), (("ci",), ("elsewhere",)))


@pytest.fixture
def outer():
    pushed = push_settings(Settings)
    yield pushed
    pop_settings(pushed)


def test_defaults_stand_under_the_properties_of_a_model_which_stays_as_it_is():
    model = table(column(), table_properties={"delta.appendOnly": None, "tier": 1})

    changed = declared(model, Settings(default_properties=DEFAULTS))

    assert changed.table_properties == {"team": "platform", "delta.appendOnly": None, "tier": 1}
    assert model.table_properties == {"delta.appendOnly": None, "tier": 1}
    assert changed.name == model.name


@pytest.mark.parametrize(
    ("listed", "clients"),
    [((), ("trino>=470",)), (["athena"], ("athena",))],
    ids=["of the project", "of the table"],
)
def test_a_table_has_its_own_clients_or_those_of_the_project(listed, clients):
    model = table(column(), clients=listed)

    changed = BoundModel.of(model, Settings(clients=("trino>=470",))).table

    assert changed.clients == clients
    assert model.clients == tuple(listed)
    assert (changed is model) == bool(listed)


def test_a_bound_table_is_not_mapped_again_and_gets_no_defaults_twice():
    settings = Settings(default_properties=DEFAULTS, bindings=BINDINGS)
    model = table(column(), foreign_keys=[ForeignKey(["id"], "dev.silver.parents", ["id"])])

    first = BoundModel.of(model, settings).table

    assert first.qualified_name == "ci.silver.orders"
    assert [str(key.parent) for key in first.foreign_keys] == ["ci.silver.parents"]
    assert BoundModel.of(first, settings).table is first
    assert model.qualified_name == "dev.silver.orders"


def test_the_innermost_settings_are_in_force_until_they_are_popped(outer):
    inner = push_settings(lambda: Settings(max_risk="scan"))
    seen = [current_settings().max_risk]
    thread = Thread(target=lambda: seen.append(current_settings().max_risk))
    thread.start()
    thread.join()

    pop_settings(inner)

    assert seen == ["scan", "scan"]
    assert current_settings().max_risk == "destructive"
    pop_settings(inner)
    assert current_settings() is outer.settings()


@pytest.mark.usefixtures("outer")
def test_the_orchestrator_takes_the_settings_in_force_and_maps_models():
    push_settings(lambda: Settings(default_properties=DEFAULTS[:1], bindings=BINDINGS))
    catalog = MemoryCatalog()

    Orchestrator.over(catalog).sync_tables([table(column())])

    (state,) = catalog.snapshot([table(column(), name="ci.silver.orders")]).tables.values()
    assert dict(state.table_properties) == {"team": "platform"}


class NoFloats:
    def check(self, table):
        return [table][:0]


class NothingIsCreated:
    def check(self, action):
        return [action][:0]


class Annotated:
    def check(self, subject: "CreateTable | AlignTable"):  # type: ignore[name-defined]  # noqa: F821, UP037 - read as text
        return [subject][:0]


INSTANCE = NoFloats()


def test_rules_are_loaded_by_their_names():
    names = [f"{__name__}:{name}" for name in ("NoFloats", "NothingIsCreated", "Annotated", "INSTANCE")]

    models, plans = load_rules(names)

    assert [type(rule).__name__ for rule in models] == ["NoFloats", "NoFloats"]
    assert models[1] is INSTANCE
    assert [type(rule).__name__ for rule in plans] == ["NothingIsCreated", "Annotated"]


def test_every_kind_has_a_reader_and_a_type_in_the_reference():
    assert set(_TYPED) == set(reference._TYPES) == set(get_args(SettingKind)) == {*(row.kind for row in SETTINGS)}


def test_the_choices_are_those_of_the_engine():
    assert list(get_args(RiskLabel)) == [risk.label for risk in Risk]
    assert set(get_args(Feature)) == {COLUMN_MAPPING, TYPE_WIDENING}

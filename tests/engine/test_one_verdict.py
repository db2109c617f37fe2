"""One verdict everywhere: for each setting the gate, the library, the assertions and the fixtures agree."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from pytest_delta_schema import (
    ApplyError,
    DriftError,
    InvalidModelError,
    MemoryCatalog,
    Orchestrator,
    Settings,
    UnsafePlanError,
    assert_no_drift,
)
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.outcomes import CheckKind
from pytest_delta_schema.plugin.outcomes import result_of
from support.plugin_project import HEAD, SHARED

DRIFTS = 'table("dev.silver.orders", ID)'
WIDENS = 'Column("v", IntegerType())', 'Column("v", LongType())'
TAGGED = 'table("dev.silver.orders", ID, table_properties={{"team": "{}"}})'.format
LEGACY = 'table("dev.silver.orders", ID, Column("legacy", LongType()), table_properties=MAPPED)'
VECTORS = 'table("dev.silver.orders", ID, table_properties={"delta.enableDeletionVectors": True})'
COMMENTED = 'table("dev.silver.orders", ID, comment="c", table_properties={"team": "b"})'
LAST = "set properties"
NOT_NULL = 'table("dev.silver.orders", Column("id", LongType(), is_nullable=False))'
RULE = """
class NeedsComment:
    def check(self, table):
        if not table.comment:
            yield Diagnostic(code="X1", rule="NeedsComment", table=table.qualified_name, message="lacks a comment")

class NothingIsAligned:
    def check(self, action):
        yield Diagnostic(code="X2", rule="NothingIsAligned", table=str(action.table), message="is aligned")
"""
HOOKS = """
import models

def pytest_delta_schema_{kind}_rules():
    return [models.{name}()]
"""
MODELS = """
from pyspark.sql.types import IntegerType
from pytest_delta_schema.diagnostics.errors import Diagnostic

MAPPED = {{"delta.columnMapping.mode": "name"}}
ID = Column("id", LongType())
{rule}
orders = {orders}
"""
USER = """
from models import orders
from pytest_delta_schema import DeltaSchemaError, Orchestrator, assert_no_drift
from pytest_delta_schema.engine import Gate
from support.plugin_project import SHARED

def test_it(delta_catalog, make_delta_table):
    asked: Any = SHARED["asked"]
    asked["assert_no_drift"] = SHARED["of_drift"](lambda: assert_no_drift(orders, catalog=delta_catalog))
    try:
        made = make_delta_table(orders)
        assert_no_drift(made, catalog=delta_catalog)
        asked["make_delta_table"] = "made", made
    except DeltaSchemaError as error:
        asked["make_delta_table"] = type(error).__name__, None
    asked["apply of a gate"] = Gate(SHARED["fresh"](), [orders]).apply(orders).status.value
    asked["orchestrator"] = SHARED["of_apply"](lambda: Orchestrator.over(delta_catalog).sync_tables([orders]))
"""


DEFAULTS = Settings()


class Case(NamedTuple):
    """What the catalog holds, what the model declares, the verdicts on drift and on an apply, and a setting."""

    before: str
    after: str
    verdicts: tuple[str, str]
    toml: str = ""
    scratch: str = "made"
    rows: tuple[dict[str, Any], ...] = ()
    hooks: str = ""
    before_settings: Settings = DEFAULTS
    fails_at: str = ""


SAME, DIFFERS, BLOCKED = ("in sync", "in sync"), ("drifted", "applied"), ("blocked", "blocked")
KEPT, OWNED = 'table("dev.silver.orders", ID, table_properties=MAPPED)', Settings(owned_properties=True)
NARROW, WIDE = (f'table("dev.silver.orders", {column})' for column in WIDENS)
PROD = 'table("prod.silver.orders", ID)'
NO_VALUE = ({"id": None},)
CONSENT = 'allow = [{ action = "drop-column", path = "dev.silver.orders.legacy", reason = "r", expires = 2999-01-01 }]'
TRINO = 'clients = ["trino>=430"]'
MODEL_RULE, PLAN_RULE = (f'rules = ["models:{name}"]' for name in ("NeedsComment", "NothingIsAligned"))
MODEL_HOOK = HOOKS.format(kind="model", name="NeedsComment")
PLAN_HOOK = HOOKS.format(kind="plan", name="NothingIsAligned")
INVALID, UNSAFE = "InvalidModelError", "UnsafePlanError"

CASES = {
    "none": Case(TAGGED("a"), TAGGED("b"), DIFFERS),
    "ignored property": Case(TAGGED("a"), TAGGED("b"), SAME, 'properties = { team = "ignore" }'),
    "required property": Case(DRIFTS, DRIFTS, BLOCKED, 'properties = { owner = "require" }', INVALID),
    "default property, missing": Case(DRIFTS, DRIFTS, DIFFERS, 'default_properties = { team = "a" }'),
    "owned properties": Case(TAGGED("a"), DRIFTS, DIFFERS, "owned_properties = true", before_settings=OWNED),
    "feature, not enabled": Case(NARROW, WIDE, BLOCKED),
    "feature, enabled": Case(NARROW, WIDE, DIFFERS, 'enable_features = ["typeWidening"]'),
    "consent, missing": Case(LEGACY, KEPT, BLOCKED),
    "consent, given": Case(LEGACY, KEPT, DIFFERS, CONSENT),
    "maximum risk": Case(DRIFTS, NOT_NULL, BLOCKED, 'max_risk = "metadata"'),
    "protected": Case(TAGGED("a"), TAGGED("b"), ("drifted", "blocked"), 'protected = ["dev.silver.*"]'),
    "binding": Case(PROD, DRIFTS, SAME, 'bind = { "dev.silver" = "prod.silver" }'),
    "data checks, asked for": Case(DRIFTS, NOT_NULL, BLOCKED, 'preflight = "limit"', rows=NO_VALUE),
    "failure, left": Case(TAGGED("a"), COMMENTED, ("drifted", "failed"), fails_at=LAST),
    "failure, restored": Case(TAGGED("a"), COMMENTED, ("drifted", "restored"), 'on_failure = "restore"', fails_at=LAST),
    "client, lacks what is declared": Case(DRIFTS, VECTORS, BLOCKED, TRINO, INVALID),
    "named rule for models": Case(DRIFTS, DRIFTS, BLOCKED, MODEL_RULE, INVALID),
    "named rule for plans": Case(TAGGED("a"), TAGGED("b"), BLOCKED, PLAN_RULE, UNSAFE),
    "hook for models": Case(DRIFTS, DRIFTS, BLOCKED, scratch=INVALID, hooks=MODEL_HOOK),
    "hook for plans": Case(TAGGED("a"), TAGGED("b"), BLOCKED, scratch=UNSAFE, hooks=PLAN_HOOK),
}


def table_of(text: str) -> Any:
    namespace: dict[str, Any] = {"__name__": "shop.models"}
    exec(HEAD + MODELS.format(rule="", orders=text), namespace)  # noqa: S102 - a module in the making
    return namespace["orders"]


def of_drift(call) -> str:
    """Turn what an assertion raises into the word of the gate."""
    try:
        call()
    except DriftError as error:
        return "blocked" if "\n\nblocked:\n" in str(error) else "drifted"
    except InvalidModelError:
        return "blocked"
    return "in sync"


def of_apply(call) -> str:
    """Turn what an apply returns or raises into the word of the gate."""
    try:
        result = call()
    except (UnsafePlanError, InvalidModelError):
        return "blocked"
    except ApplyError as error:
        return ended(str(error))
    return "applied" if result.statements else "in sync"


def ended(text: str) -> str:
    return "restored" if "restored to version" in text else "failed"


def prepare(catalog: Any, case: Case) -> Any:
    """Bring a catalog into the state before, and return it."""
    before = table_of(case.before)
    Orchestrator.over(catalog, settings=case.before_settings).sync_tables([before])
    if case.rows:
        catalog.insert(before.name, [*case.rows])
    return catalog


class Failing(MemoryCatalog):
    """Fails at one kind of statement."""

    fails_at = ""

    def run(self, statement):
        if statement.kind.value == self.fails_at:
            msg = "the session has ended"
            raise StatementError(msg)
        super().run(statement)


def gate_of(result) -> dict[CheckKind, str]:
    """Return how the checks of the gate ended in an inner run."""
    results = map(result_of, result.reprec.getreports("pytest_runtest_logreport"))
    outcomes = [result.result for result in results if result is not None and result.result is not None]
    return {outcome.check: ended(outcome.failure) if outcome.failure else outcome.status.value for outcome in outcomes}


@pytest.fixture
def inner(project):
    """Write the project of a case, and return a function that runs pytest in it over a fresh catalog."""

    def write(case: Case):
        project.ini()
        project.models(MODELS.format(rule=RULE, orders=case.after))
        project.catalog('__import__("support.plugin_project").plugin_project.SHARED["catalog"]')
        project.extend_conftest(case.hooks)
        project.settings('models = ["models"]', case.toml)
        project.pytester.makepyfile(test_user=USER)
        SHARED.update(of_drift=of_drift, of_apply=of_apply, asked={}, fresh=lambda: fresh(case))

        def run(*args):
            SHARED["catalog"] = fresh(case)
            return project.run(*args)

        return run

    return write


def fresh(case: Case) -> MemoryCatalog:
    catalog = Failing()
    prepare(catalog, case)
    catalog.fails_at = case.fails_at
    return catalog


APPLIED = ("none", "maximum risk", "protected", "failure, left", "failure, restored", "hook for plans")
"""Cases in which an apply decides otherwise than a gate, or by what only pytest knows."""


@pytest.mark.parametrize("name", CASES)
def test_everything_agrees_on_memory(name, inner):
    case = CASES[name]
    run = inner(case)

    result = run("-o", "addopts=--delta-drift", "-m", "delta_drift or not delta")

    asked: Any = SHARED["asked"]
    assert (gate_of(result)[CheckKind.DRIFT], asked["assert_no_drift"]) == (case.verdicts[0], case.verdicts[0])
    assert asked["orchestrator"] == case.verdicts[1]
    assert asked["apply of a gate"] == case.verdicts[1].replace("restored", "failed")
    scratch, made = asked["make_delta_table"]
    assert scratch == case.scratch
    assert made is None or (made.origin.name is None and made.qualified_name.startswith("dev.test_main_"))
    if name in APPLIED:
        assert gate_of(run("--delta-apply", "-m", "delta_apply"))[CheckKind.APPLY] == case.verdicts[1]


@pytest.mark.parametrize("name", [name for name in CASES if not CASES[name].hooks and not CASES[name].fails_at])
def test_a_script_with_the_settings_of_the_project_agrees(name, inner, project, monkeypatch):
    case = CASES[name]
    inner(case)
    project.path.joinpath("tox.ini").unlink()
    monkeypatch.syspath_prepend(project.path)
    settings, model = Settings.from_project(project.path), table_of(case.after)

    gate = [Gate(fresh(case), [model], settings=settings) for _ in range(2)]
    assert (gate[0].drift(model).status.value, gate[1].apply(model).status.value) == case.verdicts
    drift = of_drift(lambda: assert_no_drift(model, catalog=fresh(case), settings=settings))
    apply = of_apply(lambda: Orchestrator.over(fresh(case), settings=settings).sync_tables([model]))
    assert (drift, apply) == case.verdicts

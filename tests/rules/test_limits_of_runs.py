"""What the settings of a run refuse whatever a model declares: risk, protected tables, and rows of data checks."""

from __future__ import annotations

from pytest_delta_schema import Check, MemoryCatalog, Settings
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.rules.consent import parse_consent
from support.models import NAME, TEXT, column, state, stored, table
from support.snapshots import TextSnapshot

NOT_NULL = table(column(is_nullable=False), column("new"), primary_key=["id"])
CHECKED = table(
    column(is_nullable=False), column("n"), primary_key=["id"], checks=[Check("positive", "n > 0")], comment="New"
)
PARTED = table(column(), column("p", TEXT), partitioned_by=["p"])
ROWS = [{"id": number % 9, "n": number - 7} for number in range(10)]
PARTS = [{"id": 1, "p": ""}, {"id": 2, "p": "a"}]


class Mute(MemoryCatalog):
    """Reads no rows."""

    def data_checks(self, table):  # noqa: ARG002 - the port's signature
        raise StatementError("no cluster")


REWRITE = {"consents": (parse_consent("rewrite dev.silver.orders"),)}


def cases():
    """Yield names, models, catalogs and settings."""
    for limit in ("metadata", "feature", "scan"):
        yield f"at most {limit}", NOT_NULL, MemoryCatalog([state(stored())]), {"max_risk": limit}
        yield f"at most {limit}, a new table", NOT_NULL, MemoryCatalog(), {"max_risk": limit}
    for pattern in ("dev.silver.orders", "DEV.silver.*", "dev.*", "*.ORDER?", "*[s]", "dev.silver.order", "prod.*"):
        there = MemoryCatalog([state(stored())])
        yield f"protected: {pattern}", table(column(), comment="New"), there, {"protected": (pattern,)}
    yield "protected, a new table", NOT_NULL, MemoryCatalog(), {"protected": ("dev.*",)}
    bound = {"protected": ("ci.*",), "bindings": ((("dev",), ("ci",)),)}
    there = MemoryCatalog([state(stored(), name=NAME._replace(catalog="ci"))])
    yield "protected, by the name in the catalog", table(column(), comment="New"), there, bound
    dropped = MemoryCatalog([state(stored(), stored("old"))])
    yield "a rule refuses it, so no data check runs", table(column(is_nullable=False)), dropped, {}
    for preflight in ("count", "limit", "off", None):
        for samples in (5, 0):
            checked = MemoryCatalog([state(stored(is_nullable=False), stored("n"))], rows={NAME: ROWS})
            options = {"preflight": preflight, "preflight_samples": samples}
            yield f"rows, {preflight}, {samples} samples", CHECKED, checked, options
    yield "rows that cannot be read", CHECKED, Mute([state(stored(is_nullable=False), stored("n"))]), {}
    parted = MemoryCatalog([state(stored(), stored("p", "string"))], rows={NAME: PARTS})
    yield "values that a partition does not keep", PARTED, parted, REWRITE


def test_what_is_refused(snapshot):
    """An apply is refused by what refuses a gate, apart from protected tables, which a gate looks at."""
    lines = []
    for name, model, catalog, options in cases():
        settings = Settings(**{"preflight": "count", **options})
        drift = Gate(catalog, [model], settings=settings).drift(model)
        apply = Gate(catalog, [model], settings=settings).apply(model)
        checks = [outcome.data_checks.value for outcome in (drift, apply)]
        lines += [f"==== {name}: {drift.status.value}, {apply.status.value}; data checks: {', '.join(checks)}"]
        if drift.diagnostics != apply.diagnostics:
            lines += [f"drift: {fault}" for fault in drift.diagnostics]
        lines += map(str, apply.diagnostics)
        lines += [f"samples: {fault.samples}" for fault in apply.diagnostics if fault.samples]

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)

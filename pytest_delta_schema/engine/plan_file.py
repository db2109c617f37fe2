"""A plan as a file: its JSON text, how it is read again, and whether a new plan has the same changes and statements.

The text is canonical, so equal plans are equal bytes: JSON in ASCII with sorted keys, and a line for each change and
statement. ``digest`` is the SHA-256 of the values without the key ``digest``, on one line. It finds accidents, such as
an edited or a merged file; whoever may write the file can write its digest, too.

A table has the name of its model, and so has everything in its plan. The state before is for explanations; what has to
be the same when the file is applied are the changes and the statements.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import sql
from pytest_delta_schema.configuration.settings import Settings
from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.diagnostics.errors import ConfigurationError, JsonFormError, diagnostic_of
from pytest_delta_schema.diagnostics.faults import StalePlan
from pytest_delta_schema.diagnostics.redaction import may_be_secret, without_tokens
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.engine.outcomes import CHANGE, STATEMENT, OutcomeStatement, TableChange
from pytest_delta_schema.engine.plan_outcomes import planned_statements, table_changes
from pytest_delta_schema.execute.protocols import Capabilities
from pytest_delta_schema.models.ownership import ALL_MANAGED, IGNORE, STRICT
from pytest_delta_schema.plan.actions import AlignTable, CreateTable, TablePlan, change_lines
from pytest_delta_schema.plan.changes import ConvertTable, ForeignKeyAdd, ForeignKeyDrop
from pytest_delta_schema.plan.data_checks import data_checks_of
from pytest_delta_schema.plan.kinds import ChangeLine
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.rules.consent import needed_consents
from pytest_delta_schema.settings.table import toml_value
from pytest_delta_schema.sql.data_check_queries import select_violations
from pytest_delta_schema.sql.statement import set_values
from pytest_delta_schema.state.json_shapes import (
    TEXT,
    UPGRADE,
    Form,
    Items,
    Key,
    Nullable,
    Record,
    json_preview,
    json_text,
)
from pytest_delta_schema.state.json_state import STATE, TABLE_NAME, TEXTS, json_values, state_json_text
from pytest_delta_schema.state.states import CatalogState, ForeignKeyState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.data_checks import DataCheck
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.rules.consent import Consent, NeededConsent
    from pytest_delta_schema.sql.statement import Statement

    Names = Callable[[QualifiedName], QualifiedName]


PLAN_VERSION = 1
"""The version of the form. It grows with every change of a key, because unknown keys are refused."""

LARGEST_PLAN = 64 * 1024 * 1024
"""The most bytes of a file that is read."""

PLAN_START = b'{\n "capabilities": '
"""How every plan file begins."""

_DIGEST = "digest"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTable:
    """What a plan does to one table, and to the foreign keys of other tables that depend on it."""

    table: QualifiedName
    """The name of the model."""
    before: TableState
    """The state when the plan was made, under the name of the model, without the version of its data."""
    declared: str = ""
    """The SHA-256 of the state that the model declares; ``""`` in a plan that is only compared."""
    changes: tuple[TableChange, ...] = ()
    statements: tuple[OutcomeStatement, ...] = ()
    data_checks: tuple[str, ...] = ()
    """Queries, each of which lists the rows that forbid a change."""
    consents: tuple[str, ...] = ()
    """Those that are used, each with its last day."""
    refused: tuple[str, ...] = ()
    """Why no file may hold this plan; such a plan is not written."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not (self.changes or self.statements)


@dataclass(frozen=True, kw_only=True)
class PlanFile:
    """Everything that a plan file holds; it has no slots, because it keeps its tables by name."""

    tool_version: str
    capabilities: tuple[str, ...] | None
    """How the backend carries out a plan; ``None`` if it was made without a catalog."""
    settings: tuple[str, ...]
    """The settings that change a plan and are not at their defaults, as ``pyproject.toml`` has them."""
    tables: tuple[PlannedTable, ...]
    """Sorted by name."""
    digest: str = ""
    file: str = ""
    """The file, as it was named, from which it was read."""
    remedy: str = ""
    """How a new plan is made."""

    @cached_property
    def by_name(self) -> Mapping[QualifiedName, PlannedTable]:
        """The tables by the names of their models."""
        return {table.table: table for table in self.tables}

    @cached_property
    def statements(self) -> frozenset[str]:
        """The SQL of all statements."""
        return frozenset(statement.sql for table in self.tables for statement in table.statements)

    def stale(self, table: QualifiedName, fact: str, **parts: Any) -> Diagnostic:
        """Return why the plan is not applied to a table, by default with how a new one is made."""
        return diagnostic_of(StalePlan, table, fact, **{"remedy": self.remedy, **parts})


def new_plan(file: str, catalog: str = "") -> str:
    """Return the remedy for a file that cannot be applied; ``catalog`` are the options that choose the catalog."""
    return f"make a new plan: pytest --delta-drift --delta-plan-out={shlex.quote(file)}{catalog}"


_SETTINGS = ("properties", "enable_features", "owned_properties", "client_features", "max_risk", "rules")
"""The settings that change a plan, apart from those that change what a model declares."""


def plan_settings(settings: Settings) -> tuple[str, ...]:
    """Return the settings that change a plan and are not at their defaults, as ``pyproject.toml`` has them."""
    plain = Settings()
    chosen = {name: getattr(settings, name) for name in _SETTINGS if getattr(settings, name) != getattr(plain, name)}
    pairs = ("properties", "client_features")
    return tuple(f"{name} = {toml_value(dict(value) if name in pairs else value)}" for name, value in chosen.items())


def plan_capabilities(capabilities: Capabilities) -> tuple[str, ...]:
    """Return what a backend does in another way than to run a statement as it is."""
    kinds = {"emulates": capabilities.emulates, "splits": capabilities.splits}
    follow = ["adds the checks of a new table after it"] if capabilities.checks_follow else []
    return (*follow, *sorted(f"{verb} {kind.value}" for verb, some in kinds.items() for kind in some))


def declared_digest(state: TableState) -> str:
    """Return a text that is the same as long as a model declares the same."""
    return sha256(state_json_text(state).encode("ascii", "backslashreplace")).hexdigest()


def planned_table(
    name: QualifiedName,
    plan: TablePlan,
    observed: TableState,
    *,
    names: Names,
    consents: Sequence[Consent],
) -> PlannedTable:
    """Return the entry of the table of a model.

    ``plan`` is that of the table, with the foreign keys of other tables that depend on it, and ``observed`` what was
    read. ``names`` returns the name of the model of a table in the catalog.
    """
    unchanged = PlannedTable(table=name, before=_before(observed, names))
    if plan.is_empty:
        return unchanged
    actions = sorted(
        (_renamed(action, names) for action in plan.actions), key=lambda one: (one.table != name, one.table)
    )
    statements = [statement for action in actions for statement in sql.statements(action)]
    creations = tuple(action for action in actions if isinstance(action, CreateTable))
    alignments = tuple(action for action in actions if isinstance(action, AlignTable))
    needed = dict.fromkeys(consent for action in plan.actions for consent in needed_consents(action))
    return replace(
        unchanged,
        changes=table_changes(TablePlan(create_tables=creations, align_tables=alignments), name),
        statements=planned_statements(statements, Capabilities()),
        data_checks=tuple(_query(action, check) for action in alignments for check in data_checks_of(action)),
        consents=tuple(_consent(one, consents) for one in needed),
        refused=tuple(_refused(alignments, statements)),
    )


def _consent(needed: NeededConsent, given: Iterable[Consent]) -> str:
    days = (str(consent.expires) for consent in given if consent.covers(needed) and consent.expires is not None)
    return f"{needed}, until {next(days, 'it is withdrawn')}"


def _renamed(action: CreateTable | AlignTable, names: Names) -> CreateTable | AlignTable:
    """Return an action with the names of models."""
    parts: dict[str, Any] = {
        "table": names(action.table),
        "parents": MappingProxyType({names(name): state for name, state in action.parents.items()}),
    }
    if isinstance(action, CreateTable):
        keys = tuple(replace(change, key=_key(change.key, names)) for change in action.foreign_keys)
        return replace(action, foreign_keys=keys, **parts)
    return replace(action, changes=tuple(_renamed_change(change, names) for change in action.changes), **parts)


def _renamed_change(change: Change, names: Names) -> Change:
    if isinstance(change, (ForeignKeyAdd, ForeignKeyDrop)):
        return replace(change, key=_key(change.key, names))
    return change


def _key(key: ForeignKeyState, names: Names) -> ForeignKeyState:
    return key._replace(parent=names(key.parent))


def _before(state: TableState, names: Names) -> TableState:
    """Return an observed state as a file holds it: without versions, paths, and values that may be secrets."""
    properties = {
        key: value for key, value in state.table_properties.items() if value is None or not may_be_secret(key, value)
    }
    return replace(
        state,
        name=names(state.name),
        logical_name=None,
        version=None,
        source=None,
        table_properties=MappingProxyType(properties),
        foreign_keys=tuple(_key(key, names) for key in state.foreign_keys),
    )


def _query(action: AlignTable, check: DataCheck) -> str:
    """Return a query for the rows that fail a data check; the parent of a foreign key may be unknown offline."""
    if isinstance(check, ForeignKeyState) and len(check.columns) != len(check.parent_columns):
        return f"-- {check.path}: the key of {check.parent} is not known"
    return select_violations(action.table, check)


def _refused(alignments: Iterable[AlignTable], statements: Iterable[Statement]) -> Iterator[str]:
    """Yield why no file may hold a plan."""
    if any(action.one(ConvertTable) for action in alignments):
        yield "it converts the files of a folder, which no plan file names; apply it without a file"
    values = [pair for statement in statements for pair in set_values(statement)]
    yield from (_NOT_HELD.format(part_path("properties", key)) for key, value in values if may_be_secret(key, value))


_NOT_HELD = "{} may hold a secret, which no plan file holds; apply it without a file"


# The file


_CHANGE_KEYS = [key for key in CHANGE.keys if key.name not in {"aspect", "location"}]
_STATEMENT_KEYS = [key for key in STATEMENT.keys if key.name not in {"emulated", "ran"}]

_TABLE = Record(
    PlannedTable,
    Key("table", TABLE_NAME),
    Key("declared", TEXT),
    Key("before", STATE),
    Key("changes", Items(of=Record(TableChange, *_CHANGE_KEYS, build=CHANGE.build))),
    Key("statements", Items(of=Record(OutcomeStatement, *_STATEMENT_KEYS))),
    Key("data_checks", TEXTS),
    Key("consents", TEXTS),
)

_FORM = Form(
    version=PLAN_VERSION,
    record=Record(
        PlanFile,
        Key("tool_version", TEXT),
        Key("capabilities", Nullable(of=TEXTS)),
        Key("settings", TEXTS),
        Key("tables", Items(of=_TABLE)),
    ),
)


_WITH_TOKENS = ("before", "statements")
"""The keys of an entry that may hold tokens; the lines of changes are made without them."""


def planned_json(planned: PlannedTable, declared: TableState) -> dict[str, Any]:
    """Return an entry as values of JSON: ``table`` as a file holds it, and ``refused``, why no file may.

    ``declared`` is what the model declares, under its own name.
    """
    values: dict[str, Any] = _TABLE.write(replace(planned, declared=declared_digest(declared)))
    texts = {key: json.dumps(values[key]) for key in _WITH_TOKENS}
    tokens = [_NOT_HELD.format(key) for key, text in texts.items() if without_tokens(text) != text]
    return {"table": values, "refused": list(planned.refused) or tokens}


def plan_text(
    *,
    tool_version: str,
    capabilities: Sequence[str] | None,
    settings: Sequence[str],
    tables: Iterable[Mapping[str, Any]],
) -> tuple[str, str]:
    """Return the text of a file, and its digest; tables are given as :func:`planned_json` has them."""
    values = {
        "version": PLAN_VERSION,
        "tool_version": tool_version,
        "capabilities": capabilities,
        "settings": settings,
        "tables": sorted(tables, key=lambda table: table["table"]),
    }
    return _canonical(values)


def _canonical(values: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text of values without a digest, and the digest that it holds."""
    line = json.dumps(values, sort_keys=True)
    digest = sha256(line.encode("ascii")).hexdigest()
    return json_text(dict(sorted({**json.loads(line), _DIGEST: digest}.items())), 4), digest


def read_plan(path: Path, file: str, catalog: str = "") -> PlanFile:
    """Read a file, which ``file`` names in messages; ``catalog`` are the options that choose the catalog.

    Raises:
        ConfigurationError: If it is not a plan file, or not as it was written; in one line, with what to do.
    """
    try:
        if not path.is_file():
            fault = "is not a file" if path.exists() else "does not exist"
        elif path.stat().st_size > LARGEST_PLAN:
            fault = f"is larger than {LARGEST_PLAN // 1024**2} MiB"
        else:
            return replace(_read(path.read_bytes()), file=file, remedy=new_plan(file, catalog))
    except OSError as error:
        fault = f"cannot be read: {error.strerror or type(error).__name__}"
    except RecursionError:
        fault = "is nested too deeply"
    except JsonFormError as error:
        fault = f"is not a plan file: {error.diagnostics[0].message}"
    except ValueError as error:
        fault = str(error)
    msg = f"{file} {fault}; {UPGRADE if _OTHER_VERSION in fault else new_plan(file, catalog)}"
    raise ConfigurationError(msg)


_OTHER_VERSION = f", and this release reads version {PLAN_VERSION}"


def _read(data: bytes) -> PlanFile:
    """Return the plan of a text; a ``ValueError`` says why it has none."""
    values = json_values(data)
    if not isinstance(values, dict) or not {"version", _DIGEST, "tables"} <= values.keys():
        msg = "is not a plan file"
        raise ValueError(msg)
    if values["version"] != PLAN_VERSION:
        msg = f"is of version {json_preview(values['version'])}{_OTHER_VERSION}"
        raise ValueError(msg)
    text, digest = _canonical({key: value for key, value in values.items() if key != _DIGEST})
    if text.encode("ascii") != data:
        msg = "was edited after it was written: its text and its digest differ"
        raise ValueError(msg)
    del values[_DIGEST]
    plan: PlanFile = replace(_FORM.read(values, ""), digest=digest)
    if len(plan.by_name) < len(plan.tables):
        msg = "is not a plan file: it holds a table twice"
        raise ValueError(msg)
    return plan


# Whether a file fits


class OnlyReviewed:
    """The rule for the plans of an apply of a file: it runs no statement that is not in the file."""

    def __init__(self, reviewed: PlanFile, names: Names) -> None:
        self._reviewed = reviewed
        self._names = names

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation if a statement is not in the file: the table was changed since it was compared."""
        new = {one.sql for one in sql.statements(_renamed(action, self._names))} - self._reviewed.statements
        if new:
            fact = f"{self._reviewed.file} is stale: it does not have {counted(len(new), 'statement')} of this plan"
            yield self._reviewed.stale(action.table, fact)


def stale_diagnostics(
    reviewed: PlanFile, now: PlannedTable, stored: QualifiedName, capabilities: Capabilities, settings: Settings
) -> Iterator[Diagnostic]:
    """Yield why a reviewed plan does not fit a table; ``now`` is a new plan of it, with at least one change."""
    planned, here = reviewed.by_name[now.table], plan_capabilities(capabilities)
    head = f"{reviewed.file} is stale"
    if reviewed.capabilities not in {None, here}:
        other = ", ".join(sorted({*(reviewed.capabilities or ())} ^ {*here}))
        yield reviewed.stale(stored, f"{head}: of its backend and that of this run, only one {other}")
    if (planned.changes, planned.statements) == (now.changes, now.statements):
        return
    yield reviewed.stale(stored, f"{head}: {_misfit(planned, now)}")
    for line in differences(planned.before, now.before):
        yield reviewed.stale(stored, f"since the plan was made: {line}", path=line.path, remedy="")
    if reviewed.settings != plan_settings(settings):
        then, current = (", ".join(part) or "the defaults" for part in (reviewed.settings, plan_settings(settings)))
        yield reviewed.stale(stored, f"the plan was made with other settings: {then}, not {current}", remedy="")


def _misfit(planned: PlannedTable, now: PlannedTable) -> str:
    """Return what a new plan has in common with that of a file, and what not."""
    made = [change for change in planned.changes if change not in now.changes]
    new = [change for change in now.changes if change not in planned.changes]
    paths = ", ".join(dict.fromkeys(change.path for change in new or made))
    if new:
        return f"it does not have {counted(len(new), 'change')} of a plan made now: {paths}"
    if made:
        number = counted(len(planned.changes), "change")
        return f"{len(made)} of its {number} {'is' if len(made) == 1 else 'are'} made already: {paths}"
    return "this release makes its changes by other SQL, or in another order"


def differences(before: TableState, now: TableState) -> tuple[ChangeLine, ...]:
    """Return how one state of a table, which may be its absence, has become a different one."""
    if not now.exists:
        return (ChangeLine.of("table", "there", None),) if before.exists else ()
    gone = dict.fromkeys(before.table_properties.keys() - now.table_properties.keys())
    wanted = replace(
        now,
        table_properties=MappingProxyType({**gone, **now.table_properties}),
        ownership=ALL_MANAGED,
        evolution=STRICT,
        column_order=IGNORE,
        renames=(),
        read_only=False,
    )
    plan = TablePlanner().compared(wanted, CatalogState(tables={wanted.name: before}))
    return tuple(line for action in plan.actions for line in change_lines(action))

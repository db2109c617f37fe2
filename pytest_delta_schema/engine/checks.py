"""Check what a run names and no plan shows: consents, protected names, catalog entries, and tables without a model."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import ColumnPath, folded, nearest_name, path_text
from pytest_delta_schema.diagnostics.errors import (
    DeltaSchemaError,
    Diagnostic,
    MetadataSyncError,
    diagnostic_of,
    diagnostics_of,
    first_line,
)
from pytest_delta_schema.engine.outcomes import CheckKind, Status, TableOutcome
from pytest_delta_schema.engine.plan_outcomes import entry_changes, failed_outcome, table_outcome
from pytest_delta_schema.execute.protocols import ListsParquet, managed_note
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.rules.consent import BREAK, DROP_COLUMN, all_paths, ambiguity, needed_consents, quoted_consent
from pytest_delta_schema.rules.policy import could_name, matches, names_text, part_word
from pytest_delta_schema.rules.validator import protects
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.engine.declarations import BoundModel, Declarations
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.execute.protocols import SyncsEntries
    from pytest_delta_schema.models.declared_at import DeclaredAt
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.rules.consent import Consent, NeededConsent


_TABLE = len(QualifiedName._fields)


def unmatched_consents(declarations: Declarations) -> list[str]:
    """Return a message for each consent that names no declared table, several, or a declared column.

    It concerns the consents of the settings that must match, apart from those to break contracts.
    """
    consents = [consent for consent in declarations.settings.must_match if not consent.is_for_contracts]
    return [fault for consent in consents for fault in _faults_of_names(consent, declarations)]


def _faults_of_names(consent: Consent, declarations: Declarations) -> Iterator[str]:
    tables = declarations.tables
    meant = sorted(
        {
            (*name, *consent.names[length:])
            for name in tables
            for length in range(_TABLE, len(consent.parts) + 1)
            if could_name(consent.parts[:length], name)
        }
    )
    # What is left of a dotted name that belongs to the table is its column.
    meant = [names for names in meant if (len(names) > _TABLE) == (consent.action == DROP_COLUMN)]
    undeclared = [names for names in meant if not _declares(tables[QualifiedName(*names[:_TABLE])], names[_TABLE:])]
    if len(undeclared) > 1:
        yield ambiguity(consent, undeclared)
    elif not meant:
        collected = ", ".join(sorted(map(path_text, tables))) or "none"
        yield f"consent '{consent}' names no table of this run; collected are {collected}"
    elif not undeclared:
        yield f"consent '{consent}' names a column that the model declares; remove it from the model"
    elif undeclared != [consent.names]:
        similar = quoted_consent(consent.action, undeclared[0], meant)
        yield f"consent '{consent}' names no table of this run; there is {similar}"


def unmatched_columns(gate: Gate) -> tuple[list[str], list[str]]:
    """Compare the consents of a gate that must match with what its catalog holds.

    Older versions of a table are read if it lacks a column that a consent names. It returns a message for each consent
    to drop a column that the table never had, or that could mean several columns; and one for each that was used
    before, or may have been.
    """
    faults, notes = [], []
    selected, tables = {table.name: table for table in gate.models}, gate.state().tables
    for consent in gate.declarations.settings.must_match:
        table = selected.get(QualifiedName(*consent.names[:_TABLE]))
        observed = None if table is None else tables.get(gate.declarations.bound(table).name)
        if consent.action != DROP_COLUMN or table is None or observed is None:
            continue
        known = [(*table.name, *path.folded) for path in all_paths(observed.columns)]
        interpretations = consent.interpretations(known)
        if len(interpretations) > 1:
            faults.append(ambiguity(consent, interpretations))
        elif consent.names not in interpretations:
            there = f"; there is {quoted_consent(DROP_COLUMN, interpretations[0], known)}" if interpretations else ""
            fact = f"consent '{consent}' names no column of {path_text(table.name)}"
            path = ColumnPath(*consent.names[_TABLE:])
            try:
                was_there = observed.exists and bool(gate.catalog.past_columns(observed.name, [path]))
            except DeltaSchemaError as error:
                notes.append(f"{fact}, and whether it had one cannot be read: {first_line(error)}; remove it{there}")
                continue
            if was_there:
                notes.append(f"{fact} any more, because it was used before; remove it{there}")
            else:
                faults.append(f"{fact}, and none of its older versions has one; fix or remove it{there}")
    return faults, notes


def unmatched_protection(declarations: Declarations) -> list[str]:
    """Return a message for each protected name that matches no declared table."""
    names = [str(declarations.bound(table).name) for table in declarations.tables.values()]
    return [
        f"the pattern {pattern} of the setting protected matches no table of this run; fix or remove it"
        for pattern in declarations.settings.protected
        if not any(protects(pattern, name) for name in names)
    ]


def used_consents(gate: Gate) -> list[Consent]:
    """Return the consents, of any source, that a table needed."""
    consents = gate.declarations.settings.consents
    needed = _needed(gate, [table for table in gate.models if not _is_unknown(gate, table)]) if consents else []
    return [consent for consent in consents if any(consent.covers(need) for need in needed)]


def unused_consents(gate: Gate) -> list[Consent] | None:
    """Return the consents of the project that no table needed, apart from those to break contracts.

    The result is ``None`` if that cannot be known, because a declared table was not read or breaks a rule.
    """
    declarations = gate.declarations
    consents = [consent for consent in declarations.settings.project_consents if not consent.is_for_contracts]
    is_partial = {table.name for table in gate.models} != declarations.tables.keys()
    if not consents or is_partial or not gate.is_read or gate.state().problems.keys() - gate.state().others.keys():
        return None
    if any(declarations.violations(table) for table in gate.models):
        return None
    needed = _needed(gate, gate.models)
    return [consent for consent in consents if not any(consent.covers(need) for need in needed)]


def unused_message(consent: Consent) -> str:
    """Return what to do about a consent that no table needed."""
    return f"consent '{consent}' ({consent.reason}) was needed by no table of this run; remove it"


def audited_breaks(
    consents: Iterable[Consent],
    contracts: Mapping[QualifiedName, Collection[ColumnPath]],
    needed: Callable[[QualifiedName], Iterable[NeededConsent]],
) -> tuple[list[str], list[str]]:
    """Compare the consents to break contracts with the contracts.

    It returns a message for each consent that can let nothing through: one for a table as a whole, one that could name
    several parts, or whose names are written in a different way; and, if it has no last day, one that names nothing.
    And it returns a message for each other consent, to be shown if it lets nothing through: until its last day it may
    have been needed before, because nothing differs after a change is released, and be needed again to compare with an
    older release.

    Args:
        consents: Those of the project; others than to break contracts are left out.
        contracts: The parts that each table has or had.
        needed: Returns the consents that the change of a table needs.
    """
    faults, notes = [], []
    tables = {QualifiedName(*map(folded, name)): name for name in contracts}
    paths_of = {key: contracts[name] for key, name in tables.items()}
    known = [*map(tuple, paths_of), *((*name, *path.folded) for name, paths in paths_of.items() for path in paths)]
    for consent in consents:
        if not consent.is_for_contracts:
            continue
        meant = consent.interpretations(known)
        whole = [name for key, name in tables.items() if matches(consent.parts, key) or [tuple(key)] == meant]
        if whole and not any(part.is_any for part in consent.parts):
            faults.append(_of_whole_table(consent, [need for name in whole for need in needed(name)]))
            continue
        subject = f"consent '{consent}' ({consent.reason})" if consent.reason else f"consent '{consent}'"
        leave = "" if consent.expires is None else f", or leave it until its last day, {consent.expires}"
        if len(meant) > 1:
            faults.append(ambiguity(consent, meant))
        elif _has_key(consent) or any(matches(consent.parts, names) for names in known):
            notes.append(f"{subject} lets no change through; remove it{leave}")
        elif meant:
            there = quoted_consent(BREAK, meant[0], known)
            faults.append(f"{subject} names no part of the contracts; there is {there}")
        else:
            near = _nearest_in_contracts(consent, paths_of)
            hint = "" if near is None else f"did you mean {near}? If not, "
            message = f"{subject} names no part of the contracts; {hint}remove it{leave}"
            (faults if consent.expires is None else notes).append(message)
    return faults, notes


def _of_whole_table(consent: Consent, needed: Sequence[NeededConsent]) -> str:
    """Return the message that a consent names no part of a table, with the consents that its change needs."""
    fact = f"consent '{consent}' names a table, and would permit that anything in it breaks, and that it is removed"
    listed = " or ".join(quoted_consent(need.action, need.names) for need in needed)
    return f"{fact}; {f'write {listed}' if listed else 'remove it, because no change of the table needs a consent'}"


_KEYED = frozenset(map(part_word, ("properties", "tags")))


def _has_key(consent: Consent) -> bool:
    """Whether it names a property or a tag: that of a feature is in no contract."""
    return len(consent.names) > _TABLE + 1 and not _KEYED.isdisjoint(consent.names)


def _nearest_in_contracts(consent: Consent, contracts: Mapping[QualifiedName, Collection[ColumnPath]]) -> str | None:
    """Return the column of its table, or else the table, that resembles what a consent names most."""
    table, column = consent.names[:_TABLE], consent.names[_TABLE:]
    columns = contracts.get(QualifiedName(*table)) if column else None
    if columns is None:
        return nearest_name(path_text(table), map(path_text, sorted(contracts)))
    near = nearest_name(names_text(column), (names_text(path.folded) for path in sorted(columns)))
    return None if near is None else f"{path_text(table)}.{near}"


def _is_unknown(gate: Gate, table: Table) -> bool:
    """Whether a table was not read, or breaks a rule."""
    declarations = gate.declarations
    return bool(declarations.violations(table)) or declarations.bound(table).name not in gate.state().tables


def _needed(gate: Gate, models: Iterable[Table]) -> list[NeededConsent]:
    """Return what the plans of tables need consent for."""
    return [need for action in gate.plan(*models).actions for need in needed_consents(action)]


def _declares(table: Table, path: tuple[str, ...]) -> bool:
    """Whether a model has a column, or a field at that path."""
    return bool(path) and find(desired_state(table).columns, path) is not None


def unreadable_entry(table: Table, gate: Gate) -> TableOutcome | None:
    """Return the outcome of a table whose catalog entry cannot be read; ``None`` if it can."""
    model = gate.declarations.bound(table)
    entry = gate.state().entries.get(model.name)
    if not isinstance(entry, Diagnostic):
        return None
    return table_outcome(model, gate.declarations, CheckKind.METADATA, Status.UNREADABLE, diagnostics=[entry])


def check_entry(table: Table, gate: Gate) -> TableOutcome:
    """Compare the catalog entry of a table with its Delta log."""
    from pytest_delta_schema.plan.entry_comparison import entry_differences, unstorable_notes
    from pytest_delta_schema.state.entries import EntryState

    model, state = gate.declarations.bound(table), gate.state()
    name = model.name
    entry, log = state.entries.get(name), state.logs.get(name)
    if isinstance(entry, EntryState) and log is not None:
        changes = entry_changes(name, entry_differences(entry, log))
        if changes:
            status = Status.BLOCKED if log.is_catalog_managed else Status.STALE
            return table_outcome(model, gate.declarations, CheckKind.METADATA, status, changes=changes)
    is_managed = isinstance(entry, EntryState) and entry.is_managed and log is None
    notes = (managed_note(name),) if is_managed else () if log is None else unstorable_notes(name, log)
    return table_outcome(model, gate.declarations, CheckKind.METADATA, Status.IN_SYNC, notes=notes)


def sync_entries(
    tables: Sequence[Table], catalog: SyncsEntries, declarations: Declarations, *, recreates: bool
) -> dict[QualifiedName, TableOutcome]:
    """Write the metadata of Delta logs to the catalog entries of tables, all at once; data files are not touched."""
    models = list(map(declarations.bound, tables))
    problems: tuple[Diagnostic, ...] = ()
    try:
        synced = catalog.sync_entries((model.table for model in models), recreates=recreates)
    except MetadataSyncError as error:
        synced, problems = error.done, error.diagnostics
    except DeltaSchemaError as error:
        return {model.model.name: failed_outcome(model, declarations, CheckKind.METADATA, error) for model in models}
    syncs = {folded(sync.table): sync for sync in synced}
    faults = {folded(problem.table): problem for problem in problems}

    def outcome(model: BoundModel) -> TableOutcome:
        name = folded(str(model.name))
        if name in faults:
            return failed_outcome(model, declarations, CheckKind.METADATA, MetadataSyncError([faults[name]]))
        sync = syncs.get(name)
        changes = () if sync is None else entry_changes(sync.table, sync.differences)
        status = Status.SYNCED if changes else Status.IN_SYNC
        notes = () if sync is None else sync.notes
        return table_outcome(model, declarations, CheckKind.METADATA, status, changes=changes, notes=notes)

    return {model.model.name: outcome(model) for model in models}


class UnmanagedTable:
    """A schema with declared tables holds a table that no model declares.

    The setting ``unmanaged`` decides whether that fails a gate or is a note. Nothing is ever dropped for it.

    A folder of parquet files counts as one, on a backend whose schemas are folders.

    Remedy: Declare the table, with ``convert_from`` if it is parquet files, exclude it with the setting
    ``unmanaged_ignore``, or drop it by hand.

    Example:
        dev.silver holds 1 table that no model declares: dev.silver.orders_backup
    """

    code = "DD301"


def check_schema(
    schema: tuple[str, str], gate: Gate, *, ignored: Iterable[str], fails: bool, origin: DeclaredAt
) -> TableOutcome:
    """Compare the tables of a schema with all declared tables that map to it.

    Names are those of models. An undeclared table is drift if it ``fails``, and a note otherwise. ``origin`` is the
    declaration of the first table in the schema.
    """
    name = ".".join(schema)
    location = origin.location
    try:
        tables = _undeclared(schema, gate, ignored)
    except DeltaSchemaError as error:
        return TableOutcome(
            table=name,
            check=CheckKind.UNMANAGED,
            status=Status.FAILED,
            diagnostics=diagnostics_of(error, name),
            failure=str(error),
            location=location,
        )
    number = "1 table" if len(tables) == 1 else f"{len(tables)} tables"
    message = f"holds {number} that no model declares: {', '.join(tables)}"
    diagnostic = diagnostic_of(UnmanagedTable, name, message, severity="error" if fails else "note", location=location)
    diagnostics = (diagnostic,) if tables else ()
    return TableOutcome(
        table=name,
        check=CheckKind.UNMANAGED,
        status=Status.DRIFTED if diagnostics and fails else Status.IN_SYNC,
        diagnostics=diagnostics if fails else (),
        notes=() if fails else diagnostics,
        location=location,
    )


def _undeclared(schema: tuple[str, str], gate: Gate, ignored: Iterable[str]) -> list[str]:
    bound, declared = gate.declarations.bound, gate.declarations.tables
    tables = {name: bound(table).name for name, table in declared.items()}
    schemas = {mapped[:2] for name, mapped in tables.items() if name[:2] == schema}
    known = set(tables.values())
    patterns = [*map(folded, ignored)]
    found: dict[QualifiedName, str] = {}
    for mapped in sorted(schemas):
        if isinstance(gate.catalog, ListsParquet):
            found |= dict.fromkeys(gate.catalog.parquet_names(*mapped), " (parquet files)")
        found |= dict.fromkeys(gate.catalog.table_names(*mapped), "")
    return [
        f"{name}{what}"
        for name, what in sorted(found.items())
        if name not in known and not any(fnmatchcase(str(name), pattern) for pattern in patterns)
    ]

"""Consents that are refused: those that name nothing, what a model declares, or more than one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.errors import DeltaSchemaError, because
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.plugin import report_properties as facts
from pytest_delta_schema.plugin.run import RUN
from pytest_delta_schema.plugin.summary import note_refusals
from pytest_delta_schema.rules.consent import DROP_COLUMN, is_ambiguous, lower_paths, pasted
from pytest_delta_schema.rules.consent_paths import could_mean, path_text
from pytest_delta_schema.rules.risk import protects
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.state.states import CatalogState

_TABLE = len(QualifiedName._fields)


def consents_that_fail(run: ContractRun) -> list[str]:
    """Return a message for each consent that is about no collected table, about several, or about a declared column."""
    return [fault for consent in run.options.naming for fault in _faults_of_names(consent, run)]


def _faults_of_names(consent: Consent, run: ContractRun) -> Iterator[str]:
    meant = sorted(
        {
            (*name, *consent.names[length:])
            for name in run.tables
            for length in range(_TABLE, len(consent.parts) + 1)
            if could_mean(consent.parts[:length], name)
        }
    )
    # What is left of a dotted name that belongs to the table is its column.
    meant = [names for names in meant if (len(names) > _TABLE) == (consent.action == DROP_COLUMN)]
    undeclared = [names for names in meant if not _declares(run.tables[QualifiedName(*names[:_TABLE])], names[_TABLE:])]
    if len(undeclared) > 1:
        yield is_ambiguous(consent, undeclared)
    elif not meant:
        collected = ", ".join(sorted(map(path_text, run.tables))) or "none"
        yield f"consent '{consent}' names no table of this run; collected are {collected}"
    elif not undeclared:
        yield f"consent '{consent}' names a column that the model declares; remove it from the model"
    elif undeclared != [consent.names]:
        yield f"consent '{consent}' names no table of this run; there is {pasted(consent.action, undeclared[0], meant)}"


def consents_in_vain(run: ContractRun, catalog: Catalog, state: CatalogState) -> tuple[list[str], list[str]]:
    """Hold consents against what a catalog showed.

    Args:
        run: The run, whose consents of the command line and the ini file are meant.
        catalog: Asked for older versions of tables that lack a column which is named.
        state: What it showed of the selected tables.

    Returns:
        A message for each consent to drop what is not on the table and never was, or that could mean several columns;
        and one for each of which is known, or must be feared, that it was used before.
    """
    faults, notes = [], []
    selected = {table.name: table for table in run.selected}
    for consent in run.options.naming:
        table = selected.get(QualifiedName(*consent.names[:_TABLE]))
        observed = None if table is None else state.tables.get(run.bound(table).name)
        if consent.action != DROP_COLUMN or table is None or observed is None:
            continue
        known = [(*table.name, *path) for path in lower_paths(observed.columns)]
        readings = consent.readings(known)
        if len(readings) > 1:
            faults.append(is_ambiguous(consent, readings))
        elif consent.names not in readings:
            there = f"; there is {pasted(DROP_COLUMN, readings[0], known)}" if readings else ""
            fact = f"consent '{consent}' names no column of {path_text(table.name)}"
            try:
                was_there = observed.exists and bool(catalog.past_columns(observed.name, [consent.names[_TABLE:]]))
            except DeltaSchemaError as error:
                notes.append(f"{fact}, and whether it had one cannot be read: {because(error)}; remove it{there}")
                continue
            if was_there:
                notes.append(f"{fact} any more, because it was used before; remove it{there}")
            else:
                faults.append(f"{fact}, and none of its older versions has one; mend or remove it{there}")
    return faults, notes


def judge(request: pytest.FixtureRequest, catalog: Catalog, state: CatalogState) -> None:
    """Stop the run with a usage error, before anything is changed, if consents name nothing; note what is not needed.

    Done once for each catalog, by the first check that reads it.
    """
    config = request.config
    run = config.stash[RUN]
    if id(catalog) in run.judged:
        return
    run.judged.add(id(catalog))
    faults, notes = consents_in_vain(run, catalog, state)
    for note in (*notes, *vain_protection(run)):
        facts.record(request.node, unused=note)
    if faults:
        note_refusals(config, faults)
        request.session.shouldstop = "delta schema: consents are refused"
        facts.record(request.node, outcome=facts.BLOCKED, summary="; ".join(faults))
        pytest.fail("\n".join(faults), pytrace=False)


def vain_protection(run: ContractRun) -> list[str]:
    """Return a message for each pattern of ``delta_protected`` that matches no collected table."""
    names = [str(run.bound(table).name) for table in run.tables.values()]
    return [
        f"delta_protected = {pattern} matches no table of this run; mend or remove it"
        for pattern in run.options.protected
        if not any(protects(pattern, name) for name in names)
    ]


def _declares(table: Table, path: tuple[str, ...]) -> bool:
    """Whether a model has a column, or a field at that path."""
    return bool(path) and find(desired_state(table).columns, path) is not None

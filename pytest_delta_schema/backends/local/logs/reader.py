"""Read the states of tables: many of them in one call of the JVM, without a Spark job."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.local.warehouse.physical_names import (
    LONGEST_FOLDER,
    decode,
    encode,
    is_ambiguous,
    overlong_folder,
    physical_schema,
    table_folder,
)
from pytest_delta_schema.backends.logs.commit_log import CommitLog
from pytest_delta_schema.backends.logs.log_findings import Damage
from pytest_delta_schema.backends.logs.second_look import read_all_until_settled, read_until_settled
from pytest_delta_schema.backends.problems import (
    has_lost_its_log,
    is_a_view,
    is_damaged,
    is_doubtful,
    is_not_delta,
    problem,
)
from pytest_delta_schema.backends.spark.compat.delta_compat import spark_schema_of
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.backends.spark.newer_tables import refused_by_spark
from pytest_delta_schema.backends.spark.openable import may_lack_rows
from pytest_delta_schema.delta.logs.well_formed import MalformedLog, with_texts
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import Diagnostic, StatementError
from pytest_delta_schema.diagnostics.faults import DamagedTable, NotDeltaTable, UnreadableTable, UnusableName
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.progress import reading_tables
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.state.conversion import CONVERT, DELTA, PARQUET, RESTORE_LOG
from pytest_delta_schema.state.log_facts import LogFacts
from pytest_delta_schema.state.states import CatalogState, TableState
from pytest_delta_schema.state.type_traversal import unknown_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.backends.local.conversion.parquet_folder import FileInspector
    from pytest_delta_schema.backends.local.session.bridge import Bridge
    from pytest_delta_schema.models.conversion import Parquet


_PER_CALL = 50
"""How many tables one call reads: calls cost little, and between two of them the progress is known."""


def read_tables(
    bridge: Bridge,
    names: Iterable[QualifiedName],
    conversions: Mapping[QualifiedName, Parquet] = MappingProxyType({}),
    sources: FileInspector | None = None,
    *,
    known: Mapping[QualifiedName, TableState | Diagnostic] = MappingProxyType({}),
) -> CatalogState:
    """Read tables from their logs, without a cache; those with a problem are read again before it is reported.

    Each table is found through the session's catalog or in the warehouse folder. Those of ``conversions`` may be
    converted from files, which ``sources`` inspects. ``known`` is what was read already.
    """
    wanted = sorted(set(names) - known.keys())
    bridge.register(dict.fromkeys(name.catalog for name in wanted))
    results = dict(known)
    readable = []
    for name in wanted:
        refusal = _refusal(bridge, name)
        if refusal is None:
            readable.append(name)
        else:
            results[name] = refusal
    if readable:
        refused = len(results)

        def read(names: Sequence[QualifiedName]) -> None:
            for name, answer in _answers(bridge, names):
                conversion = conversions.get(name)
                source = (
                    None
                    if conversion is None or sources is None
                    else _source(bridge, sources, name, conversion, answer)
                )
                results[name] = source or _understand(bridge, name, answer)

        with reading_tables(len(readable), lambda: len(results) - refused):
            read_all_until_settled(readable, read, results)
    return CatalogState.of(results)


def _answers(bridge: Bridge, names: Sequence[QualifiedName]) -> Iterator[tuple[QualifiedName, str]]:
    for start in range(0, len(names), _PER_CALL):
        together = names[start : start + _PER_CALL]
        answers = bridge.read("".join(_request(bridge, name) for name in together)).split("\n")
        yield from zip(together, answers, strict=False)


def located(bridge: Bridge, name: QualifiedName) -> tuple[TableState, str]:
    """Return the state of an existing Delta table, and its location: a plain path if it is local.

    Raises:
        CatalogReadError: If it does not exist, or cannot be read.
    """
    bridge.register([name.catalog])
    refusal = _refusal(bridge, name)

    def read() -> tuple[TableState | Diagnostic, str]:
        answer = bridge.read(_request(bridge, name)).rstrip("\n")
        return _understand(bridge, name, answer), answer

    reads = [(refusal, "")] if refusal else read_until_settled(read, lambda seen: is_doubtful(seen[0]))
    result, answer = reads[-1]
    state = CatalogState.of({name: result}).existing(name)
    _, location, *_ = answer.split("\t")
    return state, location


def list_tables(bridge: Bridge, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
    """Return the names of the tables in a schema, without its views."""
    views, tables = bridge.list_schema(catalog, schema, physical_schema(catalog, schema))
    hidden = {decode(view) if bridge.is_warehouse(catalog) else view for view in views}
    return tuple(sorted(QualifiedName(catalog, schema, folded(table)) for table in tables if table not in hidden))


def read_commits(bridge: Bridge, name: QualifiedName) -> CommitLog:
    """Return the commits of an existing table; raise a ``CatalogReadError`` if it does not exist, or cannot be read."""
    _, location = located(bridge, name)
    return CommitLog(table=name, log=bridge.log(location))


def _request(bridge: Bridge, name: QualifiedName) -> str:
    table = encode(name.table) if bridge.is_warehouse(name.catalog) else name.table
    folder = table_folder(bridge.warehouse, name)
    return f"{physical_schema(name.catalog, name.schema)}\t{table}\t{folder}\n"


def _refusal(bridge: Bridge, name: QualifiedName) -> Diagnostic | None:
    if is_ambiguous(name):
        fact = f"the name {name.schema} looks like the physical name of a schema of {name.catalog} in the local backend"
        return problem(UnusableName, name, fact, "choose another name for the schema")
    overlong = overlong_folder(name) if bridge.is_warehouse(name.catalog) else ""
    if overlong:
        fact = f"its folder in the warehouse would be {overlong[:20]}..., a name of {len(overlong)} characters"
        return problem(UnusableName, name, f"{fact}, and file systems take {LONGEST_FOLDER}", "choose a shorter name")
    if not bridge.is_warehouse(name.catalog) and name.catalog != "spark_catalog":
        configured = bridge.spark.conf.get(f"spark.sql.catalog.{name.catalog}", "?")
        fact = f"the catalog {name.catalog} of this session is a {configured}, which the local backend cannot read"
        return problem(UnusableName, name, fact, f"leave spark.sql.catalog.{name.catalog} unset, or rename the catalog")
    return None


def _source(
    bridge: Bridge, sources: FileInspector, name: QualifiedName, conversion: Parquet, answer: str
) -> TableState | Diagnostic | None:
    """Return the state of the files that may be converted; ``None`` if there are none, or a Delta table exists."""
    kind, *rest = answer.split("\t")
    if kind == "provider":
        return sources.table(name, *rest)
    schema_exists = kind != "absent" or not rest
    if kind == "files" and conversion.path is None:
        folder = str(table_folder(bridge.warehouse, name))
        return sources.folder(name, folder, schema_exists=schema_exists, is_in_place=True)
    if kind != "absent" or conversion.path is None:
        return None
    state = sources.folder(name, conversion.path, schema_exists=schema_exists)
    if state.source is None or state.source.provider != DELTA:
        return state
    # The files are a Delta table already, and only the catalog has no entry for it.
    schema, table = physical_schema(name.catalog, name.schema), encode(name.table)
    answer = bridge.read(f"{schema}\t{table}\t{conversion.path}\n").rstrip("\n")
    seen = _understand(bridge, name, answer, is_in_catalog=False)
    if isinstance(seen, Diagnostic):
        return seen
    return replace(seen, source=state.source, schema_exists=schema_exists)


def _understand(
    bridge: Bridge, name: QualifiedName, answer: str, *, is_in_catalog: bool = True
) -> TableState | Diagnostic:
    kind, *rest = answer.split("\t")
    if kind == "delta":
        location, version, metadata, protocol, clustering = rest
        inspected = bridge.inspect(location)
        if isinstance(inspected, Damage):
            return inspected.of(name)
        try:
            paths = json.loads(clustering)["clusteringColumns"] if clustering else ()
            actions = json.loads(metadata)["metaData"], json.loads(protocol)["protocol"]
            facts = LogFacts(*actions, paths, int(version))
            return _state(bridge, name, facts, _Opening(location, is_in_catalog, may_lack_rows(inspected, actions[1])))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return is_damaged(name, error)
    if kind == "absent":
        return TableState(name=name, exists=False, schema_exists=not rest)
    return _problem(bridge, name, kind, rest)


class _Opening(NamedTuple):
    """How Spark is asked whether it opens a table."""

    location: str
    is_in_catalog: bool
    """Whether it can be opened by its name."""
    lists_files: bool
    """Whether its files are listed as well, which may take a job."""


def _state(bridge: Bridge, name: QualifiedName, facts: LogFacts, opening: _Opening) -> TableState | Diagnostic:
    """Return the state of a table from the metadata that Delta returned, which Spark may refuse or show otherwise."""
    understood: LogFacts | None = None
    try:
        understood = facts.well_formed()
        if any(unknown_parts(understood.columns)):
            understood = None
        elif not opening.lists_files:
            return understood.state(name)
    except MalformedLog:
        pass
    try:
        with translate_errors(bridge.with_logical_names, bridge.spark):
            frame = bridge.spark.read.format("delta").load(opening.location)
            if opening.lists_files:
                frame.inputFiles()
            if understood is None:
                if opening.is_in_catalog:
                    bridge.spark.table(dotted(name))
                schema = spark_schema_of(bridge.gateway, facts.metadata)
                understood = replace(facts, metadata={**with_texts(facts.metadata), "schemaString": schema})
    except StatementError as error:
        fact = f"its Delta log cannot be read ({error})"
        unreadable = problem(UnreadableTable, name, fact, "restore the log, or change it with the client that wrote it")
        return refused_by_spark(name, str(error)) or unreadable
    return understood.state(name)


def _problem(bridge: Bridge, name: QualifiedName, kind: str, rest: list[str]) -> Diagnostic:
    if kind == "view":
        return is_a_view(name)
    if kind == "provider":
        sign = bridge.list_files(rest[1])[1] if rest[0].lower() == PARQUET else ""
        return has_lost_its_log(name, rest[1], sign) if sign else is_not_delta(name, rest[0], converts=True)
    if kind == "files":
        folder = table_folder(bridge.warehouse, name)
        if rest[0]:
            return has_lost_its_log(name, f"its folder in the warehouse ({folder})", rest[0])
        fact = f"its folder in the warehouse ({folder}) holds files but no Delta log"
        return problem(NotDeltaTable, name, fact, f"move the folder away, or {CONVERT}")
    return _unreadable(bridge, name, kind, rest)


def _unreadable(bridge: Bridge, name: QualifiedName, kind: str, rest: list[str]) -> Diagnostic:
    remedy = "restore the log or the permission to read it"
    if kind == "hidden":
        return problem(UnreadableTable, name, f"its Delta log cannot be read ({rest[0]})", remedy)
    location, *message = rest
    if kind == "gone":
        fact = f"the catalog has an entry for it, but its Delta log in {location} is gone"
        return problem(DamagedTable, name, fact, f"{RESTORE_LOG}, or drop the table")
    cause = bridge.with_logical_names(message[0])
    fact = f"its Delta log cannot be read ({cause})"
    unreadable = refused_by_spark(name, cause) or problem(UnreadableTable, name, fact, remedy)
    inspected = bridge.inspect(location)
    return inspected.of(name) if isinstance(inspected, Damage) else unreadable

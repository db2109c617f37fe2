"""Read tables of a warehouse folder: from their logs without a JVM, or by the Java classes in the session's JVM."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema import sql
from pytest_delta_schema.backends.concurrency import read_all_until_settled, read_until_settled
from pytest_delta_schema.backends.local.warehouse import (
    LONGEST_FOLDER,
    MARKER,
    SESSION_CATALOG,
    catalog_folder,
    decode,
    encode,
    is_ambiguous,
    is_hidden,
    overlong_folder,
    physical_schema,
    schema_folder,
    table_folder,
    usual_folder,
)
from pytest_delta_schema.backends.logs.files import LocalFiles, LogFault, LostLog, table_files
from pytest_delta_schema.backends.logs.log import DeltaLog, inspected
from pytest_delta_schema.backends.problems import (
    MALFORMED,
    has_lost_its_log,
    is_a_view,
    is_damaged,
    is_doubtful,
    is_not_delta,
    problem,
)
from pytest_delta_schema.backends.spark.compat import active_spark, spark_schema_of
from pytest_delta_schema.backends.spark.versions import is_openable, may_lack_rows, refused_by_spark
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.well_formed import MalformedLog, with_texts
from pytest_delta_schema.diagnostics.errors import Diagnostic, StatementError
from pytest_delta_schema.diagnostics.faults import DamagedTable, NotDeltaTable, UnreadableTable, UnusableName
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.progress import reading_tables, step
from pytest_delta_schema.state.delta_log import LogFacts
from pytest_delta_schema.state.spark_types import unknown_parts
from pytest_delta_schema.state.states import CONVERT, DELTA, PARQUET, RESTORE_LOG, CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_delta_schema.backends.local.bridge import Bridge
    from pytest_delta_schema.backends.local.conversion import FileInspector
    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.backends.logs.history import History
    from pytest_delta_schema.models.constraints import Parquet


class WarehouseLogs:
    """Answers from the logs of a warehouse folder; what is left out of an answer, or ``None``, Spark has to read."""

    def __init__(self, warehouse: Path, delta: tuple[int, int], is_over: Callable[[], bool] = lambda: False) -> None:
        self._warehouse = warehouse.absolute()
        self._delta = delta
        self._is_over = is_over
        self._declared: set[str] = set()

    def declare(self, catalogs: Iterable[str]) -> None:
        """Add catalogs that models name; others are only known by their folder in the warehouse."""
        self._declared.update(catalogs)

    def tables(
        self, names: Collection[QualifiedName], wishes: Mapping[QualifiedName, Parquet]
    ) -> dict[QualifiedName, TableState | Diagnostic]:
        """Return the states and the damage of tables; files that ``wishes`` may convert are left to Spark."""
        catalogs = {catalog for catalog in {name.catalog for name in names} if self._knows(catalog)}
        readable = sorted(name for name in names if name.catalog in catalogs)
        if not readable:
            return {}
        with step(f"reading {len(readable)} {'log' if len(readable) == 1 else 'logs'}"):
            known = self.read(readable)
        return {
            name: result
            for name, result in known.items()
            if name not in wishes or isinstance(result, Diagnostic) or result.exists
        }

    def read(self, names: Iterable[QualifiedName]) -> dict[QualifiedName, TableState | Diagnostic]:
        """Return the states of tables, and the damage of damaged ones, whatever a session has done."""
        results = {}
        for name in names:
            try:
                result = self._read(name)
            except (OSError, *MALFORMED):
                continue
            if result is not None:
                results[name] = result
        return results

    def table_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...] | None:
        """Return the names of all tables in a schema of a declared catalog, sorted."""
        self.declare([catalog])
        if not self._knows(catalog):
            return None
        folder = schema_folder(self._warehouse, catalog, schema)
        try:
            tables = [
                name
                for name in os.listdir(folder)  # noqa: PTH208 - paths cost time
                if table_files(LocalFiles(_stored_location(f"{folder}/{name}")))
            ]
            return tuple(sorted({QualifiedName(catalog, schema, folded(decode(name))) for name in tables}))
        except FileNotFoundError:
            return ()
        except (OSError, *MALFORMED):
            return None

    def parquet_names(self, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
        """Return the names of the folders in a schema that hold parquet files without a Delta log, sorted."""
        folder = schema_folder(self._warehouse, catalog, schema)
        tables = folder.iterdir() if folder.is_dir() else ()
        names = [path.name for path in tables if path.is_dir() and not (path / MARKER).exists() and _is_parquet(path)]
        return tuple(sorted({QualifiedName(catalog, schema, folded(decode(name))) for name in names}))

    def files(self, table: QualifiedName) -> LocalFiles | None:
        """Return the files of the log of a table."""
        files = self._files(table)
        return files if files is not None and table_files(files) else None

    def history(self, table: QualifiedName) -> History | None:
        """Return the history of a table."""
        from pytest_delta_schema.backends.logs.history import history_of

        files = self._files(table)
        try:
            return None if files is None else history_of(files)
        except (OSError, *MALFORMED):
            return None

    def _knows(self, catalog: str) -> bool:
        """Whether a catalog is certainly one of the warehouse folder, whose tables nobody has changed in a session."""
        if self._is_over() or active_spark() is not None or catalog == SESSION_CATALOG:
            return False
        return catalog in self._declared or catalog_folder(self._warehouse, catalog).is_dir()

    def _files(self, table: QualifiedName) -> LocalFiles | None:
        """Return the files of the log of a table, which may lack."""
        try:
            known = self._knows(table.catalog)
            return LocalFiles(_stored_location(str(table_folder(self._warehouse, table)))) if known else None
        except (OSError, *MALFORMED):
            return None

    def _read(self, name: QualifiedName) -> TableState | Diagnostic | None:
        if is_ambiguous(name) or overlong_folder(name):
            return None
        folder = str(usual_folder(self._warehouse, name))
        files = LocalFiles(_stored_location(folder))
        if not table_files(files):
            folder = str(table_folder(self._warehouse, name))
            files = LocalFiles(_stored_location(folder))
        if not table_files(files):
            return _absent(name, folder)
        try:
            checked, facts = DeltaLog(files).newest_facts()
        except LostLog:
            return _absent(name, folder)
        except LogFault as fault:
            return fault.of(name) if fault.is_certain else None
        if isinstance(facts, LogFault) or may_lack_rows(checked, facts.protocol):
            return None
        facts = facts.well_formed()
        state = facts.state(name)
        return state if is_openable(facts, state, self._delta) else None


def _stored_location(folder: str) -> str:
    """Return the location of the table of a folder in the warehouse."""
    try:
        with open(f"{folder}/{MARKER}", encoding="utf-8") as file:  # noqa: PTH123 - paths cost time
            location = file.read().strip()
    except (FileNotFoundError, NotADirectoryError):
        return folder
    if os.path.normpath(location) != location or not location.startswith("/"):
        msg = f"{folder}/{MARKER} names no folder of this machine in its plain form"
        raise ValueError(msg)
    return location


def _is_parquet(folder: Path) -> bool:
    """Whether a folder has parquet files that Spark would read, also in folders of partitions, and no Delta log."""
    if table_files(LocalFiles(str(folder))):
        return False
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not is_hidden(name)]
        if any(name.endswith(".parquet") and not is_hidden(name) for name in files):
            return True
    return False


def _absent(name: QualifiedName, folder: str) -> TableState | None:
    """Return the state of a table without a log; ``None`` if something is in its folder, which Spark looks at."""
    if _has_entry(folder):
        return None
    return TableState(name=name, exists=False, schema_exists=_has_entry(os.path.dirname(folder)))  # noqa: PTH120 - paths cost time


def _has_entry(folder: str) -> bool:
    """Whether something has the name of a folder."""
    try:
        os.stat(folder)  # noqa: PTH116 - paths cost time
    except FileNotFoundError:
        return False
    return True


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
    """Read tables from their logs, without a cache; those with a problem are read again before it is reported."""
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
                    else _convertible(bridge, sources, name, conversion, answer)
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
    """Return the state of an existing Delta table, and its location: a plain path if it is local."""
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


def files_of(bridge: Bridge, name: QualifiedName) -> LogFiles:
    """Return the files of the log of an existing table; raise a ``CatalogReadError`` if there is none to be read."""
    _, location = located(bridge, name)
    return bridge.log(location)


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


def _convertible(
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
        checked = inspected(name, bridge.log(location))
        if isinstance(checked, Diagnostic):
            return checked
        try:
            paths = json.loads(clustering)["clusteringColumns"] if clustering else ()
            actions = json.loads(metadata)["metaData"], json.loads(protocol)["protocol"]
            facts = LogFacts(*actions, paths, int(version))
            return _opened_state(
                bridge, name, facts, _Opening(location, is_in_catalog, may_lack_rows(checked, actions[1]))
            )
        except MALFORMED as error:
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


def _opened_state(bridge: Bridge, name: QualifiedName, facts: LogFacts, opening: _Opening) -> TableState | Diagnostic:
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
        with bridge.translate_errors():
            frame = bridge.spark.read.format("delta").load(opening.location)
            if opening.lists_files:
                frame.inputFiles()
            if understood is None:
                if opening.is_in_catalog:
                    bridge.spark.table(sql.dotted(name))
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
    checked = inspected(name, bridge.log(location))
    return checked if isinstance(checked, Diagnostic) else unreadable

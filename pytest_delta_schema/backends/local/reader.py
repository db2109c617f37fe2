"""Read the state of tables: all of them in one round trip, by path, without a Spark job."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.physical_names import (
    LONGEST_FOLDER,
    decode,
    encode,
    is_confusing,
    overlong_folder,
    physical_schema,
    table_folder,
)
from pytest_delta_schema.backends.problems import (
    has_lost_its_log,
    is_a_view,
    is_damaged,
    is_not_delta,
    problem,
)
from pytest_delta_schema.errors import ReadProblem
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.state.conversion import CONVERT, DELTA, PARQUET, RESTORE_LOG
from pytest_delta_schema.state.delta_log import state_from_metadata
from pytest_delta_schema.state.states import CatalogState, TableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.backends.local.bridge import Bridge
    from pytest_delta_schema.backends.local.parquet_folder import Sources
    from pytest_delta_schema.models.conversion import Parquet


def read_tables(
    bridge: Bridge,
    names: Iterable[QualifiedName],
    wishes: Mapping[QualifiedName, Parquet] = MappingProxyType({}),
    sources: Sources | None = None,
) -> CatalogState:
    """Read tables fresh from their logs.

    Args:
        bridge: The session.
        names: Which; each is found through the session's catalog or in the warehouse folder.
        wishes: Tables that may be made of files.
        sources: Looks at those files.
    """
    wanted = sorted(set(names))
    bridge.register(dict.fromkeys(name.catalog for name in wanted))
    results: dict[QualifiedName, TableState | ReadProblem] = {}
    readable = []
    for name in wanted:
        refusal = _refusal(bridge, name)
        if refusal is None:
            readable.append(name)
        else:
            results[name] = refusal
    if readable:
        answers = bridge.read("".join(_request(bridge, name) for name in readable)).split("\n")
        for name, answer in zip(readable, answers, strict=False):
            wish = wishes.get(name)
            found = None if wish is None or sources is None else _source(bridge, sources, name, wish, answer)
            results[name] = found or _understand(bridge, name, answer)
    return CatalogState.of(results)


def list_tables(bridge: Bridge, catalog: str, schema: str) -> tuple[QualifiedName, ...]:
    """Return the names of the tables in a schema, views aside."""
    views, tables = bridge.list_schema(catalog, schema, physical_schema(catalog, schema))
    hidden = {decode(view) if bridge.is_ours(catalog) else view for view in views}
    return tuple(sorted(QualifiedName(catalog, schema, table.lower()) for table in tables if table not in hidden))


def _request(bridge: Bridge, name: QualifiedName) -> str:
    table = encode(name.table) if bridge.is_ours(name.catalog) else name.table
    folder = table_folder(bridge.warehouse, name)
    return f"{physical_schema(name.catalog, name.schema)}\t{table}\t{folder}\n"


def _refusal(bridge: Bridge, name: QualifiedName) -> ReadProblem | None:
    if is_confusing(name):
        fact = f"the schema {name.schema} begins like the local backend's own name for a schema of {name.catalog}"
        return problem(name, fact, "choose another name for the schema")
    overlong = overlong_folder(name) if bridge.is_ours(name.catalog) else ""
    if overlong:
        fact = f"its folder in the warehouse would be {overlong[:20]}..., a name of {len(overlong)} characters"
        return problem(name, f"{fact}, and file systems take {LONGEST_FOLDER}", "choose a shorter name")
    if not bridge.is_ours(name.catalog) and name.catalog != "spark_catalog":
        configured = bridge.spark.conf.get(f"spark.sql.catalog.{name.catalog}", "?")
        fact = f"the catalog {name.catalog} of this session is a {configured}, which the local backend cannot read"
        return problem(name, fact, f"leave spark.sql.catalog.{name.catalog} unset, or rename the catalog")
    return None


def _source(
    bridge: Bridge, sources: Sources, name: QualifiedName, wish: Parquet, answer: str
) -> TableState | ReadProblem | None:
    """Return the files that may become a table; ``None`` if there is a Delta table, or nothing, or something else."""
    kind, *rest = answer.split("\t")
    if kind == "provider":
        return sources.table(name, *rest)
    schema_exists = kind != "absent" or not rest
    if kind == "files" and wish.path is None:
        place = str(table_folder(bridge.warehouse, name))
        return sources.folder(name, place, schema_exists=schema_exists, is_in_place=True)
    if kind != "absent" or wish.path is None:
        return None
    state = sources.folder(name, wish.path, schema_exists=schema_exists)
    if state.source is None or state.source.provider != DELTA:
        return state
    # It is Delta already, and only the catalog does not know it.
    schema, table = physical_schema(name.catalog, name.schema), encode(name.table)
    seen = _understand(bridge, name, bridge.read(f"{schema}\t{table}\t{wish.path}\n").rstrip("\n"))
    if isinstance(seen, ReadProblem):
        return seen
    return replace(seen, source=state.source, schema_exists=schema_exists)


def _understand(bridge: Bridge, name: QualifiedName, answer: str) -> TableState | ReadProblem:
    kind, *rest = answer.split("\t")
    if kind == "delta":
        place, *facts = rest
        return bridge.damage(name, place) or _state(name, *facts)
    if kind == "absent":
        return TableState(name=name, exists=False, schema_exists=not rest)
    return _stranger(bridge, name, kind, rest)


def _state(
    name: QualifiedName, version: str, metadata: str, protocol: str, clustering: str
) -> TableState | ReadProblem:
    try:
        return state_from_metadata(
            name,
            metadata=json.loads(metadata)["metaData"],
            protocol=json.loads(protocol)["protocol"],
            clustering=json.loads(clustering)["clusteringColumns"] if clustering else (),
            version=int(version),
        )
    except (KeyError, TypeError, ValueError) as error:
        return is_damaged(name, error)


def _stranger(bridge: Bridge, name: QualifiedName, kind: str, rest: list[str]) -> ReadProblem:
    if kind == "view":
        return is_a_view(name)
    if kind == "provider":
        sign = bridge.list_files(rest[1])[1] if rest[0].lower() == PARQUET else ""
        return has_lost_its_log(name, rest[1], sign) if sign else is_not_delta(name, rest[0])
    if kind == "files":
        folder = table_folder(bridge.warehouse, name)
        if rest[0]:
            return has_lost_its_log(name, f"its folder in the warehouse ({folder})", rest[0])
        fact = f"its folder in the warehouse ({folder}) holds files but no Delta log"
        return problem(name, fact, f"move the folder away, or {CONVERT}")
    return _unreadable(bridge, name, kind, rest)


def _unreadable(bridge: Bridge, name: QualifiedName, kind: str, rest: list[str]) -> ReadProblem:
    remedy = "restore the log or the permission to read it"
    if kind == "hidden":
        return problem(name, f"its Delta log cannot be read ({rest[0]})", remedy)
    place, *said = rest
    if kind == "gone":
        fact = f"the catalog has an entry for it, but its Delta log in {place} is gone"
        return problem(name, fact, f"{RESTORE_LOG}, or drop the table")
    cause = bridge.in_users_words(said[0])
    return bridge.damage(name, place) or problem(name, f"its Delta log cannot be read ({cause})", remedy)

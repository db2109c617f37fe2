"""Read the state of a table by SQL alone: two statements and a schema, without a Spark job.

Spark's schema hides generation expressions and identities (run on the released jars). Tables that have the feature are
read once more: the checksum file beside their newest commit, which holds all metadata.
"""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.log_damage import damage_of, damage_of_newest
from pytest_delta_schema.backends.problems import is_a_view, is_damaged, is_not_delta, problem
from pytest_delta_schema.delta.log_listing import checksum_name
from pytest_delta_schema.errors import ReadProblem, StatementError
from pytest_delta_schema.sql.schemas_and_restores import (
    describe_extended,
    describe_history,
    select_text,
    show_properties,
)
from pytest_delta_schema.state.delta_log import (
    CLUSTERING_PROPERTY,
    clustering_in,
    hides_values,
    parted,
)
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.backends.log_damage import LogFiles
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState

NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")
"""What Spark says of a table that is not there; everything else is a table that cannot be seen."""

_PARTITIONS, _DETAILS = "# Partition Information", "# Detailed Table Information"


_COMMITS_ELSEWHERE = "delta.feature.catalogManaged"
"""A property of tables whose newest commits are with their catalog, so that their folder alone tells nothing."""


class Description:
    """What DESCRIBE TABLE EXTENDED says, taken apart.

    Args:
        rows: Its rows: names, types or values, comments.
        columns: How many columns the table has, which come first.
    """

    def __init__(self, rows: Sequence[Sequence[str]], columns: int) -> None:
        # Columns may be called anything, so that no heading can be looked for among them.
        names = [row[0] for row in rows[columns:]]
        details = names.index(_DETAILS)
        self._details = {row[0]: row[1] for row in rows[columns + details + 1 :]}
        parted = names[names.index(_PARTITIONS) + 2 : details] if _PARTITIONS in names[:details] else []
        self.partitions = tuple(takewhile(bool, parted))

    def __getitem__(self, key: str) -> str:
        return self._details.get(key, "")


def read_log(  # noqa: PLR0911 - one answer a kind of thing that may stand there
    sql: Callable[[str], Any],
    schema: Callable[[], Any],
    name: QualifiedName,
    files: Callable[[str], LogFiles | None],
) -> LogFacts | ReadProblem | None:
    """Read the log of one table.

    Args:
        sql: Runs SQL and returns rows.
        schema: Returns the table's schema as Spark shows it.
        name: The table.
        files: Opens the log of the table at a location; ``None`` if the session has no way to it.

    Returns:
        What it says, or why it has none; ``None`` if there is no such table.
    """
    try:
        described = sql(describe_extended(name))
        fields = schema()
        description = Description(described, len(fields.fields))
        if description["Type"] == "VIEW":
            return is_a_view(name)
        if description["Provider"].lower() != "delta":
            return is_not_delta(name, description["Provider"])
        properties = {row[0]: row[1] for row in sql(show_properties(name))}
        log = None if _COMMITS_ELSEWHERE in properties else files(description["Location"])
        damage = None if log is None else damage_of(log)
        if damage is not None:
            return damage.of(name)
        configuration, protocol = parted(properties)
        if hides_values(protocol):
            return _from_checksum(sql, name, description["Location"])
        metadata = {
            "schemaString": fields.json(),
            "description": description["Comment"],
            "configuration": configuration,
            "partitionColumns": description.partitions,
        }
        return LogFacts(metadata, protocol, json.loads(properties.get(CLUSTERING_PROPERTY, "[]")))
    except StatementError as error:
        if error.condition in NOT_FOUND:
            return None
        return unreadable(name, error)
    except (KeyError, LookupError, TypeError, ValueError) as error:
        return is_damaged(name, error)


def unreadable(name: QualifiedName, error: StatementError) -> ReadProblem:
    """Report a table that the session cannot read, which says nothing about whether it exists."""
    return problem(name, f"cannot be read ({error})", "mend the session, or its permission to read the table")


def read_table(
    sql: Callable[[str], Any],
    schema: Callable[[], Any],
    name: QualifiedName,
    files: Callable[[str], LogFiles | None],
) -> TableState | ReadProblem | None:
    """Read the state of one table; see :func:`read_log`."""
    found = read_log(sql, schema, name, files)
    try:
        return found.state(name) if isinstance(found, LogFacts) else found
    except (KeyError, TypeError, ValueError) as error:
        return is_damaged(name, error)


class _TextLog:
    """Reads single files of a log by SQL, as Spark reads text; see :class:`LogFiles`."""

    def __init__(self, sql: Callable[[str], Any], location: str) -> None:
        self._sql = sql
        self._contents: dict[str, bytes] = {}
        self.path = f"{location}/_delta_log"

    def read(self, name: str) -> bytes:
        """Return the content of a file, which is read once."""
        if name not in self._contents:
            lines = self._sql(select_text(f"{self.path}/{name}"))
            self._contents[name] = "\n".join(row[0] for row in lines).encode()
        return self._contents[name]


def _from_checksum(sql: Callable[[str], Any], name: QualifiedName, location: str) -> LogFacts | ReadProblem:
    version = sql(describe_history(name, limit=1))[0][0]
    log = _TextLog(sql, location)
    try:
        damage = damage_of_newest(log, version)
        text = log.read(checksum_name(version))
    except StatementError as error:
        fact = f"has generated or identity columns, which this session hides, and its log cannot be read ({error})"
        return problem(name, fact, "read it through a classic session, or give this one permission to read its folder")
    if damage is not None:
        return damage.of(name)
    told = json.loads(text)
    clustering = clustering_in(told.get("domainMetadata") or ()) or ()
    return LogFacts(told["metadata"], told["protocol"], clustering, version)

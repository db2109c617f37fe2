"""The readers of Delta logs that need no JVM, and what they show of a :class:`WrittenTable`."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from pytest_delta_schema.backends.local.clones import ChangingTableError, clone_folder
from pytest_delta_schema.backends.local.reading import WarehouseLogs, history_of
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.logs.checks import damage_of
from pytest_delta_schema.backends.logs.files import LocalLog
from pytest_delta_schema.backends.logs.state import CommitLog
from pytest_delta_schema.backends.unity.logs import Log, LogFolder, read_repeatedly
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError
from support.delta_logs.written_table import ABSENT, Shown
from support.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.state.states import TableState

OLD = 3
"""The version that the reader of an old state reads."""

_AGAIN = "read it again when "


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader returned.

    Args:
        state: What it shows of the newest version.
        version: Its number.
        commits: The marks of all commits, by their numbers.
        old_state: What it shows of an old version; ``ABSENT`` if there is no such version any more.
        cloned: The newest commit of a clone.
        is_left_to_spark: Whether the reader needs Spark to answer.
        is_given_up: Whether it says that the table changes too fast.
    """

    state: Shown | None = None
    version: int = -1
    commits: dict[int, str] | None = None
    old_state: Shown | None = None
    cloned: str | None = None
    is_left_to_spark: bool = False
    is_given_up: bool = False


class FalseVerdictError(AssertionError):
    """A reader reported damage or a lack of permission of a healthy table."""


def _required(condition: object, error: object) -> None:
    """Require an error to be about a table that was dropped, replaced or cleaned up."""
    if not condition:
        raise FalseVerdictError(str(error))


def _shown(state: TableState) -> Shown:
    if not state.exists:
        return ABSENT
    columns = tuple(column.name for column in state.columns)
    clustering = "".join(map(str, state.clustering))
    return Shown(state.table_comment, columns, state.table_properties.get("test.mark") or "", clustering)


def _local(warehouse: Path) -> Reading:
    """Read as the local backend does without a JVM."""
    result = WarehouseLogs(warehouse, (4, 4)).read([NAME]).get(NAME)
    if result is None:
        return Reading(is_left_to_spark=True)
    if isinstance(result, Diagnostic):
        raise FalseVerdictError(str(result))
    return Reading(state=_shown(result), version=-1 if result.version is None else result.version)


def _damage(log: Callable[[str], LogFiles], warehouse: Path) -> Reading:
    """Look for damage, as all backends do."""
    damage = damage_of(log(str(table_folder(warehouse, NAME))))
    _required(damage is None, damage)
    return Reading()


def _unity(how: str, warehouse: Path) -> Reading:
    """Read as the unity backend does: a local log, a remote one by deltalake, one that deltalake cannot open."""
    logs = "pytest_delta_schema.backends.unity.logs"
    location = str(table_folder(warehouse, NAME))
    patches: list[Any] = [] if how == "local" else [patch(f"{logs}.local_folder", lambda _: None)]
    if how == "files":
        patches.append(patch(f"{logs}._metadata", side_effect=ValueError("an unknown type")))
    for one in patches:
        one.start()
    try:
        facts = read_repeatedly(lambda: Log(location, {}).facts())
    except StatementError as error:
        _required(error.condition == "NO_LOG" or _AGAIN in str(error), error)
        return Reading(state=ABSENT) if error.condition == "NO_LOG" else Reading(is_given_up=True)
    finally:
        for one in patches:
            one.stop()
    return Reading(state=_shown(facts.state(NAME)), version=facts.version or 0)


def _commits(warehouse: Path) -> Reading:
    """Read the history of a table for effects and versions."""
    try:
        commits = CommitLog(table=NAME, log=LocalLog(str(table_folder(warehouse, NAME)))).commits()
    except CatalogReadError as error:
        _required("are gone" in str(error) or _AGAIN in str(error), error)
        return Reading(is_given_up=True) if _AGAIN in str(error) else Reading(commits={})
    return Reading(commits={commit.version: _mark(commit.added[0].path) for commit in commits if commit.added})


def _mark(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".parquet")


def _old_state(warehouse: Path) -> Reading:
    """Read the state of an older version."""
    try:
        state = CommitLog(table=NAME, log=LocalLog(str(table_folder(warehouse, NAME)))).state_at(OLD)
    except CatalogReadError as error:
        gone = rf"are gone|no commit of version {OLD}|is in commit \d, which its log does not hold"
        _required(re.search(gone, str(error)), error)
        return Reading(old_state=ABSENT)
    return Reading(old_state=_shown(state))


def _columns(warehouse: Path) -> Reading:
    """Read the history of a table for the commits that introduced columns."""
    try:
        history = history_of(LocalLog(str(table_folder(warehouse, NAME))))
    except OSError:
        history = None
    if history is None:
        return Reading(is_left_to_spark=True)
    marks = {version: history.columns_at(version)[1].name.removeprefix("c") for version in history.commits}
    return Reading(commits=marks)


def _clone(warehouse: Path) -> Reading:
    """Clone the table; a clone has the files of its newest version."""
    target = warehouse / "clone"
    shutil.rmtree(target, ignore_errors=True)
    try:
        clone_folder(table_folder(warehouse, NAME), target, _copied)
    except FileNotFoundError:
        return Reading(cloned="")
    except ChangingTableError:
        return Reading(is_given_up=True)
    live: list[str] = []
    for path in sorted(target.glob("_delta_log/*.json")):
        actions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        removed = {action["remove"]["path"] for action in actions if "remove" in action}
        live = [path for path in live if path not in removed]
        live += [action["add"]["path"] for action in actions if "add" in action]
    lost = [path for path in live if not (target / path).exists()]
    if lost or not live:
        msg = f"the clone lacks {lost or 'all files'}"
        raise FalseVerdictError(msg)
    return Reading(cloned=_mark(live[-1]))


def _copied(source: Path, target: Path, _: Any) -> None:
    """Copy a checkpoint."""
    target.write_bytes(source.read_bytes())


READERS: dict[str, Callable[[Path], Reading]] = {
    "local": _local,
    "damage of a local log": partial(_damage, LocalLog),
    "damage of a remote log": partial(_damage, lambda location: LogFolder(location, {})),
    "unity, local": partial(_unity, "local"),
    "unity, remote": partial(_unity, "remote"),
    "unity, files": partial(_unity, "files"),
    "commits": _commits,
    "an old state": _old_state,
    "columns of versions": _columns,
    "clone": _clone,
}
"""By what they read; each takes the warehouse, and raises :class:`FalseVerdictError`."""

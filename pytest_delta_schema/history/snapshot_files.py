"""Read the contracts of tables from the texts of their snapshots."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_delta_schema.diagnostics.errors import DeclarationError, DeltaSchemaError, first_line
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.exchange.ddl import read_scripts
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_format.json_form import state_from_json
from pytest_delta_schema.state.json_format.snapshot_names import SQL_FILE, STATE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState

_CONFLICT = re.compile(rb"(?m)^(?:<{7}|>{7}) ")
_REMEDY = "compare with a commit or a folder that has one readable snapshot of the table"
_CUT = re.compile("~[0-9a-f]{12}$")
_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastContract:
    """The contract that a table had: what its model wanted."""

    state: TableState
    file: str
    """The snapshot that holds it, from the folder of the project."""
    from_sql: bool
    """Whether it lacks what SQL does not hold, such as ``owns``, ``evolution`` and ``clients``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFault:
    """Why the contract that a table had cannot be judged."""

    table: QualifiedName | None
    """``None`` if the name of its file does not tell it."""
    files: tuple[str, ...]
    """Its snapshots, from the folder of the project."""
    message: str
    remedy: str

    def __str__(self) -> str:
        subject = escaped(", ".join(self.files) if self.table is None else self.table)
        return f"{subject}: {self.message}; {self.remedy}"


class UnreadableContract:
    """The released contract of a table cannot be read, so nobody knows whom its change breaks.

    Its snapshot is a pointer of Git LFS, has the marks of a merge conflict or another fault, or there are several.

    Remedy: Compare with a commit or a folder that has one readable snapshot of the table.

    Example:
        dev.silver.orders: __snapshots__/models/dev.silver.orders.state.json cannot be read: it has the
        marks of a merge conflict; compare with a commit or a folder that has one readable snapshot of
        the table
    """

    code = "DS514"


def is_snapshot(path: str) -> bool:
    """Whether a file is the state or the SQL of a table, by its name."""
    return path.endswith((STATE_FILE, SQL_FILE))


def snapshots_to_read(paths: Iterable[str]) -> list[str]:
    """Return the state files among some paths, and the SQL files without a state file next to them, sorted."""
    present = set(paths)
    return sorted(
        path
        for path in present
        if path.endswith(STATE_FILE)
        or (path.endswith(SQL_FILE) and f"{path.removesuffix(SQL_FILE)}{STATE_FILE}" not in present)
    )


def read_snapshots(contents: Mapping[str, bytes]) -> tuple[list[PastContract], list[PastFault]]:
    """Return the contracts in some snapshots, which are by their paths, and the faults of those without one."""
    contracts: list[PastContract] = []
    faults = []
    for path, content in contents.items():
        try:
            contracts += _contracts(path, _text(content))
        except (DeltaSchemaError, ValueError, RecursionError) as error:
            faults.append(file_fault(path, content, f"cannot be read: {first_line(error)}"))
    return contracts, faults


def file_fault(path: str, content: bytes, fact: str) -> PastFault:
    """Return the fault of a snapshot that cannot be read."""
    return PastFault(table=_table_of(path, content), files=(path,), message=f"{escaped(path)} {fact}", remedy=_REMEDY)


def _table_of(path: str, content: bytes) -> QualifiedName | None:
    """Return the table that a snapshot with a fault is about, as its content or else its name tells."""
    stem = PurePosixPath(path).name.removesuffix(STATE_FILE).removesuffix(SQL_FILE)
    # A very long name is cut, and has a hash.
    names = [] if _CUT.search(stem) else [unquote(stem)]
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        names.insert(0, str(json.loads(content)["name"]))
    for name in names:
        with suppress(DeclarationError):
            return parse_name(name)
    return None


def single_contracts(
    contracts: Iterable[PastContract], faults: Iterable[PastFault]
) -> tuple[Mapping[QualifiedName, PastContract], tuple[PastFault, ...]]:
    """Return the contracts by the names of their tables, and all faults: also those of tables with several contracts.

    A table with a fault has no contract.
    """
    by_table: dict[QualifiedName, list[PastContract]] = defaultdict(list)
    for contract in contracts:
        by_table[contract.state.name].append(contract)
    repeated = [
        PastFault(
            table=name,
            files=files,
            message=f"has {len(files)} contracts, in {escaped(' and '.join(files))}",
            remedy=_REMEDY,
        )
        for name, several in by_table.items()
        if len(files := tuple(contract.file for contract in several)) > 1
    ]
    every = (*faults, *repeated)
    faulty = {fault.table for fault in every}
    return MappingProxyType({name: by_table[name][0] for name in sorted(by_table) if name not in faulty}), every


def _contracts(path: str, text: str) -> list[PastContract]:
    if path.endswith(STATE_FILE):
        return [PastContract(state=state_from_json(json.loads(text)), file=path, from_sql=False)]
    models, _ = read_scripts({"": text}, "", "")
    return [PastContract(state=desired_state(model), file=path, from_sql=True) for model in models]


def _text(content: bytes) -> str:
    """Return the text of a snapshot.

    Raises:
        ValueError: If it has none.
    """
    if content.startswith(_POINTER):
        msg = "it is a pointer of Git LFS, whose content is not in the commit"
        raise ValueError(msg)
    if _CONFLICT.search(content):
        msg = "it has the marks of a merge conflict"
        raise ValueError(msg)
    try:
        return content.decode()
    except UnicodeDecodeError:
        msg = "it is not UTF-8"
        raise ValueError(msg) from None

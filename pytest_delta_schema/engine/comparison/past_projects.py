"""Find the contracts that a table had, in the projects of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_delta_schema.history.past_contracts import PastContracts
    from pytest_delta_schema.history.snapshot_files import PastContract, PastFault
    from pytest_delta_schema.models.names import QualifiedName


class PastTable(NamedTuple):
    """The contract of one table at one commit, or in one folder."""

    ref: str
    contract: PastContract | None
    """``None`` if it has no contract, or none that can be read."""
    faults: tuple[PastFault, ...]
    """Why its contract cannot be read."""


class PastProjects:
    """The contracts of the past: those of each project, for each commit or folder with which a run compares.

    ``homes`` are the projects of the declared tables. A table keeps its identity by its name: one that is not in its
    own project may have been in another.
    """

    def __init__(self, pasts: Mapping[Path, Sequence[PastContracts]], homes: Mapping[QualifiedName, Path]) -> None:
        self._pasts = pasts
        self._homes = homes

    def of(self, name: QualifiedName) -> Iterator[PastTable]:
        """Yield what each commit or folder holds of a table, in the order in which they were given."""
        own = self._homes.get(name)
        projects = sorted(self._pasts, key=lambda project: project != own)
        for pasts in zip(*(self._pasts[project] for project in projects), strict=True):
            contract = next((past.tables[name] for past in pasts if name in past.tables), None)
            faults = tuple(fault for past in pasts for fault in past.faults if fault.table == name)
            is_readable = contract is not None and (name in pasts[0].tables or not faults)
            yield PastTable(pasts[0].ref, contract if is_readable else None, () if is_readable else faults)

    def gone(self) -> dict[QualifiedName, Path]:
        """Return the tables that are not declared any more, by the project that had them, sorted."""
        projects: dict[QualifiedName, Path] = {}
        for project, pasts in self._pasts.items():
            for past in pasts:
                names = {*past.tables, *(fault.table for fault in past.faults if fault.table is not None)}
                projects |= dict.fromkeys(names - self._homes.keys() - projects.keys(), project)
        return dict(sorted(projects.items()))

    def unnamed(self) -> dict[str, tuple[Path, PastFault]]:
        """Return the snapshots of which not even the table is known, by their path, with their project."""
        return {
            fault.files[0]: (project, fault)
            for project, pasts in self._pasts.items()
            for past in pasts
            for fault in past.faults
            if fault.table is None
        }

    @property
    def has_several_refs(self) -> bool:
        """Whether there is more than one commit or folder."""
        return any(len(pasts) > 1 for pasts in self._pasts.values())

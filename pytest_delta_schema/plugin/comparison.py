"""Compare tables with the contracts of the past: ``--delta-against``, and the check ``compat``."""

from __future__ import annotations

from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.engine.checks import audited_breaks
from pytest_delta_schema.engine.comparison import ContractComparison, PastProjects, unread_outcome
from pytest_delta_schema.engine.outcomes import CheckKind
from pytest_delta_schema.history.contracts import PastContracts, contracts_at
from pytest_delta_schema.plugin.collection import asks_for_all
from pytest_delta_schema.plugin.compat import is_worker
from pytest_delta_schema.plugin.items import ContractItem, ProjectItem, ProjectNode
from pytest_delta_schema.plugin.registration import project_folder
from pytest_delta_schema.plugin.summary import refuse
from pytest_delta_schema.settings.table import project_file_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.plugin.results import RunResults
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.witness.runner import Witnesses


_COMPAT = CheckKind.COMPAT.value


class ComparisonRun:
    """A run with ``--delta-against``."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        """Read the contracts of the project at once, so what cannot be compared stops the run before it begins."""
        self._config = config
        self._run = run
        self._folder = project_folder(config)
        self._pasts: dict[Path, list[PastContracts]] = {}
        faults = [*self._read(self._folder)]
        self._witnesses: Witnesses | None = None
        witness = run.options.witness
        if witness and not faults:
            faults = [*self._begin_witnesses(witness)]
        if faults:
            raise pytest.UsageError(printed("\n".join(faults)))

    def _begin_witnesses(self, given: str) -> Iterator[str]:
        """Make the folder of witnesses, and yield why that is not possible."""
        from pytest_delta_schema.witness.runner import Witnesses, prepare_folder

        folder = Path(self._config.invocation_params.dir, given)
        if not (is_worker(self._config) or self._config.option.collectonly):
            try:
                prepare_folder(folder)
            except ConfigurationError as error:
                yield f"--delta-witness: {error}"
        self._witnesses = Witnesses(folder, given)
        self._config.add_cleanup(self._witnesses.close)

    @property
    def labels(self) -> tuple[str, ...]:
        """The commits and folders, such as ``main: merge base 1a2b3c4d5e6f, 3 commits before HEAD``."""
        return tuple(past.label for past in self._pasts[self._folder])

    def summary_lines(self, results: RunResults) -> list[str]:
        """Return what the end of the run tells besides the verdicts, such as which consents let nothing through."""
        compared = [f"compared with {label}" for label in self.labels]
        notes = dict.fromkeys(
            [*compared, *(note for pasts in self._pasts.values() for past in pasts for note in past.notes)]
        )
        lines = [f"  {'note':<10}  {note}" for note in notes]
        if not asks_for_all(self._config, self._folder):
            lines.append(f"  {'note':<10}  this run looks at a part of the project, so no table counts as gone")
        elif not results.deselected:
            unneeded = self._run.unneeded_breaks.items()
            lines += [f"  {'unused':<10}  {text}" for name, text in unneeded if name not in results.used_consents]
        return lines

    def _audit(self, comparison: ContractComparison) -> list[str]:
        """Keep what is to be said of each consent that lets nothing through, and return those that never can."""
        faults = []
        consents = [consent for consent in self._run.settings.consents if consent.is_for_contracts]
        contracts = comparison.contracts() if consents else {}
        for consent in consents:
            refused, notes = audited_breaks([consent], contracts, comparison.needed_breaks)
            faults += refused
            self._run.unneeded_breaks |= dict.fromkeys([str(consent)] if notes else [], " ".join(notes))
        return faults

    def _paths_without_table(self, comparison: ContractComparison) -> list[str]:
        """Return a message for each path of the setting ``compatibility`` that matches no table of a complete run."""
        names = [*self._run.tables, *comparison.past.gone()] if comparison.is_complete else []
        return [
            f"the path {entry.path} of the setting compatibility matches no table of this run; fix or remove it"
            for entry in self._run.settings.compatibility
            if names and not any(map(entry.matches, names))
        ]

    def compare(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add an item for each table that is gone; before options of pytest deselect some."""
        config = self._config
        contracts = [item for item in items if isinstance(item, ContractItem)]
        projects = {folder: self._project_of(folder) for folder in {item.path.parent for item in contracts}}
        homes = {item.table.name: projects[item.path.parent] for item in contracts}
        faults = [fault for project in sorted({*homes.values()} - self._pasts.keys()) for fault in self._read(project)]
        comparison = ContractComparison(
            PastProjects(self._pasts, homes),
            self._run.declarations,
            today=datetime.now(timezone.utc).date(),
            is_complete=asks_for_all(self._config, self._folder) and not session.testsfailed,
            shows_every_role=config.get_verbosity() > 0,
            witness=None if self._witnesses is None else self._witnesses.of,
        )
        self._run.comparison = comparison
        if not faults:
            faults = [*self._audit(comparison), *self._paths_without_table(comparison)]
        refuse(config, items, faults)
        if comparison.is_complete:
            items += _items_of_undeclared(session, comparison)

    def _read(self, project: Path) -> Iterator[str]:
        """Read the contracts of a project, and yield why that is not possible."""
        options = self._run.options
        pasts = self._pasts.setdefault(project, [])
        for ref in options.against:
            try:
                pasts.append(contracts_at(ref, project=project, release_tags=options.release_tags))
            except ConfigurationError as error:
                yield f"--delta-against={error}"

    def _project_of(self, folder: Path) -> Path:
        """Return the folder of the project around a folder; installed packages have no snapshots in the repository."""
        file = project_file_of(folder)
        return file.parent if file is not None and file.is_relative_to(self._folder) else self._folder


def _items_of_undeclared(session: pytest.Session, comparison: ContractComparison) -> Iterator[pytest.Item]:
    """Yield an item for each table that is gone, and for each snapshot of which not even the table is known."""
    past, nodes = comparison.past, dict[Path, ProjectNode]()
    outcomes = [
        *((project, str(name), partial(comparison.outcome_of_gone, name)) for name, project in past.gone().items()),
        *((project, path, partial(unread_outcome, path, fault)) for path, (project, fault) in past.unnamed().items()),
    ]
    for project, name, outcome in outcomes:
        if project not in nodes:
            nodes[project] = ProjectNode.from_parent(session, path=project / "pyproject.toml")
        yield ProjectItem.of(nodes[project], name, _COMPAT, outcome)

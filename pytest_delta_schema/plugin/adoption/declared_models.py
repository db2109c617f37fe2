"""Find the tables that a project declares already."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.project_file import shown_path
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.engine.held_tables import held_tables, tables_of_file
from pytest_delta_schema.plugin.compat.pytest_compat import skip_item
from pytest_delta_schema.plugin.outcomes.failures import one_line, relative
from pytest_delta_schema.report.text.outcome_text import headline

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.options.option_values import Options


def tables_of_project(
    config: pytest.Config, options: Options, files: Iterable[Path]
) -> tuple[dict[QualifiedName, Table], list[str]]:
    """Return the tables of the modules of ``models`` and of some files, and a message for each that cannot be run.

    An import would extend the files; those that do not exist hold nothing.
    """
    tables: list[Table] = []
    faults = []
    others = [file for file in dict.fromkeys(files) if file.is_file() and file not in options.models]
    for path, dotted in [*options.models.items(), *((file, "") for file in others)]:
        try:
            values = vars(importlib.import_module(dotted)).values() if dotted else tables_of_file(str(path)).values()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a module raises is why it cannot be used
            shown = shown_path(path, config.rootpath)
            faults.append(f"{shown} cannot be imported: {type(error).__name__}: {error}; correct it first")
        else:
            tables += [table for value in values for table in held_tables(value)]
    return {table.name: table for table in tables}, faults


class DeclaredModels:
    """Models that a project has already: an import leaves them as they are, and says whether they differ.

    Messages name files from the folder ``root``.
    """

    def __init__(self, catalog: Catalog, models: Iterable[Table], settings: Settings, root: Path) -> None:
        self._gate = Gate(catalog, models, settings=settings)
        self._root = root
        self.differing: list[str] = []

    def skip(self, table: Table) -> None:
        """Skip the import of a model; note it in ``differing`` if it differs from its table.

        Raises:
            Skipped: Always.
        """
        outcome = self._gate.drift(table)
        where = relative(table.origin.location, self._root)
        if not outcome.status.passes:
            self.differing.append(one_line([headline(outcome)]))
        skip_item(f"declared already, at {where}{'' if outcome.status.passes else ', and differs'}")

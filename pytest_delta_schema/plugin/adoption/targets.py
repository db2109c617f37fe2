"""The files to which an import writes models."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

from pytest_delta_schema.source_code.variables import distinct, python_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plugin.options.import_requests import ImportRequest

FOLDER = "contracts"
"""Where models are written if the option names no path."""

MANY_TABLES = 40
"""From so many tables on, each has its own file."""


def import_targets(
    chosen: Mapping[ImportRequest, Iterable[QualifiedName]], declared: Mapping[QualifiedName, QualifiedName], here: Path
) -> tuple[dict[QualifiedName, Path], list[str]]:
    """Return the file of each table, and a message for each conflict.

    ``chosen`` holds the tables of each request, under their names in the catalog, and ``declared`` the names of their
    models. Relative paths start in the folder ``here``.
    """
    targets: dict[QualifiedName, Path] = {}
    faults: list[str] = []
    schemas: dict[Path, str] = {}
    for request, names in chosen.items():
        files = _files(request, [declared[name] for name in names], here)
        for name in names:
            file, schema = files[declared[name]], ".".join(declared[name][:2])
            if targets.setdefault(name, file) != file:
                faults.append(f"{name} would be written to {targets[name]} and to {file}; ask for it once")
            elif schemas.setdefault(file, schema) != schema:
                faults.append(
                    f"{file} would hold tables of {schemas[file]} and of {schema}; give each schema its own file or"
                    f" folder: --delta-import={request.text}={FOLDER}/{'_'.join(declared[name][:2])}.py"
                )
    return targets, list(dict.fromkeys(faults))


def _files(request: ImportRequest, names: list[QualifiedName], here: Path) -> dict[QualifiedName, Path]:
    """Return the file of each table of a request."""
    if request.path.endswith(".py"):
        return dict.fromkeys(names, here / request.path)
    schema = _module_name(names[0].schema)
    folder = here / (request.path or FOLDER)
    one_file = folder / f"{schema}.py"
    if not request.path and not (folder / schema).is_dir() and (one_file.is_file() or len(names) < MANY_TABLES):
        return dict.fromkeys(names, one_file)
    modules = distinct(names, lambda name: _module_name(name.table))
    return {name: folder / schema / f"{module}.py" for name, module in modules.items()}


def _module_name(name: str) -> str:
    """Return a name that can be imported, and is not collected as a test or as something else."""
    plain = python_word(name)
    is_special = not plain.isidentifier() or keyword.iskeyword(plain) or plain.startswith(("test_", "__"))
    return f"t_{plain}" if is_special or plain == "conftest" or plain.endswith("_test") else plain

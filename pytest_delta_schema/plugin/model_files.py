"""Find the files of the modules that ``models`` names."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def model_files(names: Iterable[str], root: Path) -> tuple[dict[Path, str], list[str]]:
    """Return the files of modules with their dotted names, and a message for each name that has none.

    Args:
        names: Dotted names of modules.
        root: The folder in which the files have to be, because pytest collects no others.
    """
    files, faults = {}, []
    for name in names:
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):
            spec = None
        except Exception as error:  # noqa: BLE001 - find_spec runs the code of the packages around a module
            faults.append(f"models: {name} cannot be imported, {type(error).__name__}: {error}")
            continue
        if spec is None or spec.origin is None:
            faults.append(
                f"models: there is no module {name}; name it as in an import statement, and see that the ini key"
                " pythonpath has its folder"
            )
        elif not Path(spec.origin).is_relative_to(root):
            faults.append(
                f"models: {name} is outside of the project; import its tables in a test module and list them"
                " there: delta_tables = [...]"
            )
        else:
            files[Path(spec.origin)] = name
    return files, faults

"""A project in which one hostile text is every kind of name, comment and value, in the models and in the catalog."""

from __future__ import annotations

from pathlib import Path

from support.case_tables import blocks_in
from support.plugin_project import CATALOG, HEAD


def write_hostile_project(folder: Path, text: str) -> None:
    """Write the models and the conftest file."""
    parts = blocks_in(Path(__file__).with_name("hostile_project.txt"))
    models, library = parts["models.py"], parts["test_library.py"]
    conftest = CATALOG.replace("{catalog}", parts["held"].rstrip("\n")) + parts["conftest.py"]
    for name, source in {"models.py": f"{HEAD}{models}", "conftest.py": conftest, "test_library.py": library}.items():
        (folder / name).write_text(source.replace("__bad__", repr(text)), "utf-8")

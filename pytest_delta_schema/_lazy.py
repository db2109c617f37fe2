"""Public names that are loaded when they are first used."""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NO_PYSPARK = (
    "declared tables need pyspark, which is not installed; run: pip install 'pytest-delta-schema[spark]',"
    " or where no Spark is started: pip install --no-deps pyspark-client"
)
"""The message for an environment without pyspark."""


def lacks_pyspark(error: ModuleNotFoundError) -> bool:
    """Whether an import failed because pyspark is not installed."""
    return (error.name or "").partition(".")[0] == "pyspark"


def lazy_exports(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package, which load its public names when they are first used.

    The names are those that the package imports as themselves (``import Table as Table``) below ``if TYPE_CHECKING:``,
    and the classes of a module that it imports with a star; they are its ``__all__``. Every pytest run imports the
    packages around the plugin, and one without tables should not pay for pyspark.
    """

    def load(name: str) -> object:
        try:
            if name == "__all__":
                return sorted(_all_modules(package))
            module = None if name.startswith("__") else _modules(package).get(name) or _all_modules(package).get(name)
            value = None if module is None else getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if lacks_pyspark(error):
                raise ModuleNotFoundError(NO_PYSPARK, name=error.name) from None
            raise
        if module is None:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted({*vars(sys.modules[package]), *_all_modules(package)})


@cache
def _modules(package: str) -> dict[str, str]:
    """Return the module of each public name that the package imports by name."""
    imports = _imports(package)
    return {name.name: str(node.module) for node in imports for name in node.names if name.asname == name.name}


@cache
def _all_modules(package: str) -> dict[str, str]:
    """Return the module of each public name; imports the modules that the package imports with a star."""
    stars = [str(node.module) for node in _imports(package) if node.names[0].name == "*"]
    classes = {
        name: module
        for module in stars
        for name, value in vars(import_module(module)).items()
        if isinstance(value, type)
        and value.__module__ == module
        and name in getattr(import_module(module), "__all__", [name])
    }
    return classes | _modules(package)


@cache
def _imports(package: str) -> tuple[ast.ImportFrom, ...]:
    source = Path(str(sys.modules[package].__file__)).read_text("utf-8")
    blocks = (node.body for node in ast.parse(source).body if isinstance(node, ast.If))
    return tuple(node for block in blocks for node in block if isinstance(node, ast.ImportFrom))

"""Imports inside of the package: none in a circle, and none inside of a function without a measured reason."""

from __future__ import annotations

import ast
from collections import Counter

from support.structure import PACKAGE, ROOT, circles, imported_modules, imports, modules_of

MODULES = modules_of(ROOT)

LAZY = {
    # Loading the plugin has to stay below 5 ms in a run without tables. pytest reads, hashes and rewrites each module of
    # a plugin, which takes 0.3 ms or more; errors takes 3 ms, the settings 9 ms, the gate with pyspark's types 0.2 s,
    # and syrupy 10 ms.
    "__init__.py": 2,
    "plugin/__init__.py": 9,
    "plugin/fixtures/backend.py": 2,
    "plugin/options/backend.py": 1,
    "plugin/collection/model_collection.py": 4,
    "plugin/options/option_faults.py": 5,
    "plugin/options/reading.py": 6,
    "plugin/options/registration.py": 1,
    "plugin/fixtures/table_fixtures.py": 17,
    "plugin/outcomes/outcome_report.py": 1,
    "plugin/run/contract_run.py": 10,
    "plugin/hooks/run_hooks.py": 21,
    "plugin/hooks/run_start.py": 7,
    "plugin/hooks/comparison_hooks.py": 2,
    "plugin/reports/report_writer.py": 1,
    "plugin/options/sources.py": 7,
    "plugin/summary/terminal_summary.py": 1,
    "plugin/items/table_items.py": 1,
    "engine/apply_progress.py": 1,
    "configuration/project_file.py": 2,
    "configuration/section.py": 2,
    "configuration/settings.py": 1,
    # python -m pytest_delta_schema prints its help without the JVM's modules.
    "commands/prepare.py": 1,
    "commands/translate.py": 1,
    "commands/witness.py": 1,
    # A backend is described in every run with tables and opened in a run with a catalog; its catalog takes 60 ms,
    # and few runs try a write or a stream.
    "backends/databricks/backend.py": 2,
    "backends/local/backend.py": 4,
    "backends/local/catalog.py": 2,
    "backends/spark_session/backend.py": 2,
    "backends/unity/backend.py": 4,
    # httpcore and msgspec belong to an extra, which may not be installed.
    "backends/unity/http/calls.py": 2,
    "backends/databricks/rows.py": 1,
    "backends/unity/http/client.py": 3,
    "backends/unity/entries/wire_format.py": 1,
    # sqlglot takes 0.1 s, and few runs have an expression to parse.
    "engine/source_map/declaration_parts.py": 1,
    "models/column.py": 1,
    "state/expressions/__init__.py": 10,
}
"""The most imports of the package's modules inside of functions, by file; each group has its reason."""


def test_imports_inside_of_functions_have_a_reason():
    counts: Counter[str] = Counter()
    for module in MODULES.values():
        for function in ast.walk(module.tree):
            if isinstance(function, ast.FunctionDef):
                lazy = [node for node in ast.walk(function) if imported_modules(node, MODULES)]
                counts[module.path.relative_to(PACKAGE).as_posix()] += len(lazy)

    assert {name: count for name, count in counts.items() if count > LAZY.get(name, 0)} == {}


def test_no_modules_import_each_other_in_a_circle():
    assert circles(imports(MODULES, for_types=True)) == []

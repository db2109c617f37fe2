"""No modules import each other in a circle, not even in functions; imports for types do not count."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_no_modules_import_each_other_in_a_circle():
    graph = grimp.build_graph("pytest_delta_schema", exclude_type_checking_imports=True, cache_dir=None)

    # It raises a CycleError with the circle.
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()

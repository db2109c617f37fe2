"""Tables of newer clients in a project: the gate shows and compares what it does not know as text."""

from __future__ import annotations

import pytest

from pytest_delta_schema import model_source
from support.delta_logs.future_logs import READABLE_LOGS
from support.tables import NAME
from support.unity import lake

GEOMETRY = READABLE_LOGS["geometry"]


@pytest.fixture
def unity(project, tmp_path):
    with lake(tmp_path / "store") as made:
        project.ini("delta_models = models", "delta_backend = unity", f"delta_unity_uri = {made.server.uri}")
        GEOMETRY.write(made.folder.joinpath(*NAME))
        yield made


@pytest.mark.usefixtures("unity")
def test_an_imported_model_passes_the_gate(project):
    project.models(model_source(GEOMETRY.state(NAME)))
    project.run("--delta-sync-metadata", "--snapshot-update")

    result = project.run("--delta-drift")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["drift: 2 in sync, 0 statements run"])


@pytest.mark.usefixtures("unity")
def test_another_type_is_drift_that_no_apply_changes(project):
    project.models("orders = table('dev.silver.orders', Column('id', LongType()), Column('t', StringType()))\n")
    project.run("--delta-sync-metadata", "--snapshot-update")

    drift = project.run("--delta-drift", "-k", "drift")
    apply = project.run("--delta-apply", "-k", "apply")

    drift.assert_outcomes(failed=1, deselected=3)
    drift.stdout.fnmatch_lines(["*columns.t*geometry(OGC:CRS84)*string*"])
    apply.assert_outcomes(failed=1, deselected=3)
    apply.stdout.fnmatch_lines(
        [
            "*column t would be changed, and its type geometry(OGC:CRS84) is compared as text only;*DS220*",
            "*0 statements run*",
        ]
    )

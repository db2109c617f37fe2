"""Tables that no backend clones, and decoders that threads share."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_delta_schema.backends.problems import require_commits_in_log
from pytest_delta_schema.diagnostics.errors import StatementError
from support.models import state


def test_a_table_whose_commits_are_in_a_catalog_is_not_cloned():
    require_commits_in_log(state(table_properties={"delta.feature.deletionVectors": "supported"}))
    for feature in ("delta.feature.catalogManaged", "delta.feature.catalogOwned-preview"):
        with pytest.raises(StatementError) as caught:
            require_commits_in_log(state(table_properties={feature: "supported"}))

        assert str(caught.value) == (
            "dev.silver.orders cannot be cloned: its newest commits are in a catalog, and not in its log; create the table"
            " with make_delta_table, and insert its rows"
        )


RECORDER = """
import threading
import msgspec

built, late = set(), []
decoder, convert = msgspec.json.Decoder, msgspec.convert


def key(kind):
    return getattr(kind, "__args__", (kind,))[0] if getattr(kind, "__origin__", None) is list else kind


def note(kind, builds):
    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        built.add(key(kind))
    elif builds or key(kind) not in built:
        late.append(str(kind))


def building(kind, **options):
    note(kind, True)
    return decoder(kind, **options)


def converting(value, kind, **options):
    note(kind, False)
    return convert(value, kind, **options)


msgspec.json.Decoder, msgspec.convert = building, converting
"""
UNITY = """
import pathlib
import tempfile

from support.logs import field
from support.models import column, table
from support.unity import lake

with tempfile.TemporaryDirectory() as folder, lake(pathlib.Path(folder)) as unity:
    names = [f"dev.silver.t{number}" for number in range(6)]
    models = [table(column(), name=name) for name in names]
    for name in names:
        unity.table(name, field("id"), field("tags", {"type": "array", "elementType": "string", "containsNull": True}))
    unity.catalog.sync_entries(models)
    assert len(unity.catalog.snapshot(models).entries) == 6
    assert unity.catalog.sync_entries(models) == ()
print(sorted(set(late)))
"""


def test_every_decoder_is_built_in_the_main_thread(pytestconfig):
    done = subprocess.run(
        [sys.executable, "-c", RECORDER + UNITY],
        env={"PYTHONPATH": f"{pytestconfig.rootpath / 'tests'}:{pytestconfig.rootpath}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr[-2000:]) == ("[]\n", "")

"""The public door: every name opens, and nothing else does."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pytest_delta_schema


@pytest.mark.parametrize("name", pytest_delta_schema.__all__)
def test_every_public_name_opens(name):
    assert getattr(pytest_delta_schema, name) is not None
    assert name in dir(pytest_delta_schema)


def test_other_names_do_not():
    with pytest.raises(AttributeError, match="module 'pytest_delta_schema' has no attribute 'Tabel'"):
        _ = pytest_delta_schema.Tabel


def test_the_door_itself_is_light():
    code = "import sys, pytest_delta_schema; print([n for n in ('pyspark', 'pytest', 'syrupy', 'delta') if n in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

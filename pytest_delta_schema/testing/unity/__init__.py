"""A Unity Catalog server for tests, on loopback: the calls that a schema tool makes, answered as release 0.6 does.

Its answers are those of a real server (Unity Catalog 0.6.0); a test compares them one by one.
"""

from pytest_delta_schema.testing.unity.server import UnityDouble

__all__ = ["UnityDouble"]

"""Table properties that Delta, Spark or the platform manage themselves."""

from __future__ import annotations

CHECK_PREFIX = "delta.constraints."
"""The beginning of properties that hold a CHECK constraint: its name in lower case follows, the value is its text."""

RESERVED = {
    "comment": "write comment=... on the Table",
    "external": "leave it out",
    "location": "leave it out",
    "owner": "set the owner in the catalog",
    "provider": "leave it out; every table is Delta",
}
"""Keys that Spark's parser or Delta reserve (Spark 4.2.0, Delta 4.4.0), each with the remedy."""

PLATFORM = frozenset(
    {
        "delta.columnmapping.maxcolumnid",
        "delta.lastupdateversion",
        "delta.lastcommittimestamp",
        "delta.rowtracking.materializedrowidcolumnname",
        "delta.rowtracking.materializedrowcommitversioncolumnname",
    }
)
"""Keys, in lower case, that Delta or Databricks write by themselves."""

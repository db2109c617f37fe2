"""The clients of Delta Lake whose table features are known, and how users call them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownClient:
    """A client in the table."""

    title: str
    has_versions: bool = True
    """Whether users choose its version; services have none."""
    only_reads: bool = False
    """Whether it never writes Delta tables, or not those of other clients."""
    example: str
    """How an entry of ``clients`` names it."""


KNOWN_CLIENTS: Mapping[str, KnownClient] = MappingProxyType(
    {
        "delta-spark": KnownClient(title="Delta Lake on Apache Spark", example="delta-spark>=3.3"),
        "databricks": KnownClient(title="Databricks Runtime", example="databricks>=15.4"),
        "trino": KnownClient(title="Delta Lake connector of Trino", example="trino>=470"),
        "deltalake": KnownClient(title="delta-rs, the Python package deltalake", example="deltalake>=1.6.6"),
        "duckdb": KnownClient(title="delta extension of DuckDB", example="duckdb>=1.1"),
        "fabric-spark": KnownClient(title="Microsoft Fabric, Spark runtime", example="fabric-spark>=1.3"),
        "fabric-sql": KnownClient(
            title="Microsoft Fabric, SQL analytics endpoint", has_versions=False, only_reads=True, example="fabric-sql"
        ),
        "power-bi": KnownClient(
            title="Power BI, Direct Lake semantic models", has_versions=False, only_reads=True, example="power-bi"
        ),
        "athena": KnownClient(
            title="Amazon Athena, engine version 3", has_versions=False, only_reads=True, example="athena"
        ),
        "snowflake": KnownClient(
            title="Snowflake, Iceberg tables on Delta files", has_versions=False, example="snowflake"
        ),
    }
)
"""The clients of the table by the names that ``clients`` uses."""

SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        "dbr": "databricks",
        "delta": "delta-spark",
        "delta-rs": "deltalake",
        "direct-lake": "power-bi",
        "fabric": "fabric-spark",
        "polars": "deltalake",
        "pyspark": "delta-spark",
        "spark": "delta-spark",
    }
)
"""What users may call a client, with its name in the table."""

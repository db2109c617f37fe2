"""What the Unity Catalog backend can do through Spark."""

from __future__ import annotations

from pytest_delta_schema.catalogs.session.capabilities import without_files
from pytest_delta_schema.catalogs.spark.emulation import BY_COMMIT, BY_PROPERTY
from pytest_delta_schema.execute.ddl import Capabilities
from pytest_delta_schema.sql.statement import StatementKind

BY_TRANSACTION = BY_COMMIT | {StatementKind.RENAME_COLUMN}
"""The connector refuses RENAME COLUMN and SET NOT NULL (run on its release 0.6); transactions do both."""

CAPABILITIES = Capabilities(emulates=BY_TRANSACTION | BY_PROPERTY, refuses=without_files)

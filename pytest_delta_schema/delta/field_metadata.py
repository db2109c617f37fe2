"""Keys of a field's metadata in schemas of Delta logs and of Spark (Delta's protocol; Spark 4.2.0)."""

from __future__ import annotations

CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
"""The text of a type that Spark stores as string: ``varchar(10)``, ``array<char(2)>``."""

PHYSICAL_NAME = "delta.columnMapping.physicalName"
"""The name of a field in data files, under column mapping."""

DEFAULT = "CURRENT_DEFAULT"
"""The expression that fills a column which a write leaves out."""

GENERATION_EXPRESSION = "delta.generationExpression"
"""The expression from which a generated column is computed."""

IDENTITY_START, IDENTITY_STEP = "delta.identity.start", "delta.identity.step"
"""The first value of an identity column, and what is added for the next."""

IDENTITY_EXPLICIT = "delta.identity.allowExplicitInsert"
"""Whether writers may give values of their own to an identity column."""

COLLATIONS = "__COLLATIONS"
"""The provider and name of the collations of a field's strings, such as ``{"city": "spark.UTF8_LCASE"}``."""

"""The Databricks backend: whole schemas by information_schema, statements as they are written."""

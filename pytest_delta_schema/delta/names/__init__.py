"""Names of columns and fields, which match without case."""

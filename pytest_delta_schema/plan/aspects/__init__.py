"""Compare one aspect of a table each."""

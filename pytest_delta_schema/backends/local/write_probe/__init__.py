"""Try a write on an empty copy of a table."""

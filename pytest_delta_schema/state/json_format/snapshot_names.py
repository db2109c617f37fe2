"""The names of the two files that hold the snapshot of a table."""

SQL_FILE = ".ddl.sql"
"""The end of the name of the file with the SQL that creates the table."""

STATE_FILE = ".state.json"
"""The end of the name of the file with its state, which is next to it."""

"""The JSON form of a table state."""

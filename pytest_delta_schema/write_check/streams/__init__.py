"""Predict what a stream that reads a table does after a change of the table, from recorded answers of Delta."""

"""Validate one aspect of a table each."""

"""Outcomes of the checks of tables, as values."""

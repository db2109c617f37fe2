"""Scenarios of columns and their types."""

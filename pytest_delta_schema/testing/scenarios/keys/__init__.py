"""Scenarios of primary, unique and foreign keys."""

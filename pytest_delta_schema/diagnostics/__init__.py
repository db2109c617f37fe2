"""Errors, faults of tables, notes, and what makes texts safe to print."""

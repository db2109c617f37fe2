"""Predict what Delta does with a MERGE."""

"""Rows given by users and rows of tables."""

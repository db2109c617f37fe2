"""Assertions for ordinary tests and scripts; none of them imports pytest."""

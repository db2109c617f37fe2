"""Placeholder while the rooms below are built."""

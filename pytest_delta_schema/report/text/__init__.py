"""Texts of outcomes and changes."""

"""Loans by state."""

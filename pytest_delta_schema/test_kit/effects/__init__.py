"""Observe what a job changes in tables."""

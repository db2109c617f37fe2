"""Spark with Delta: the embedded local backend, and any classic session that is active already."""

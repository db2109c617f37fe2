"""Writes ``dev.silver.orders``."""

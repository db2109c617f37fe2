"""Catalog entries: their wire format and their synchronisation."""

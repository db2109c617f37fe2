"""Protocols of catalogs: what a backend has to offer, and what it may offer."""

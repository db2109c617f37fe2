"""Calls to a Unity Catalog server."""

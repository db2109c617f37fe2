"""Scenarios of whole tables: layout, conversion, properties and tags."""

"""Folders and names of the warehouse."""

"""Models for the tables of a catalog, and the proof that they declare what it holds."""

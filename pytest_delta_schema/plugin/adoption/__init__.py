"""Write models for the tables of a catalog: ``--delta-import``."""

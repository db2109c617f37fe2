"""Types of columns, given as text or as objects."""

"""Render one aspect of a table each."""

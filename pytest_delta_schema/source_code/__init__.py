"""Models as Python text."""

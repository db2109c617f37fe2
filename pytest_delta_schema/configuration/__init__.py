"""Read settings from pyproject.toml, ini files and project rules."""

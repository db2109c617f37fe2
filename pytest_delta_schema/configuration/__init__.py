"""Read settings from the command line, pyproject.toml and project rules."""

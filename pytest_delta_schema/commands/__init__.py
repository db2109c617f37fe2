"""The commands of ``python -m pytest_delta_schema``, each in its own module."""

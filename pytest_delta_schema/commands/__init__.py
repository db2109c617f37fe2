"""The commands of ``python -m pytest_delta_schema``, each in a module of its own."""

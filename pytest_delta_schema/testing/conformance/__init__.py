"""Run the scenarios on a user's own catalog, in one schema and in tables of a prefix, and report which promises hold.

``python -m pytest_delta_schema conformance`` starts pytest with the plugin :mod:`.conformance_plugin`.
"""

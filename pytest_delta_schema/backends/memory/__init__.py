"""A catalog in memory: no JVM, no files, the same port; for testing rules, plans and contracts."""

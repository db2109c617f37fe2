"""Links from reports to the source code of a project."""

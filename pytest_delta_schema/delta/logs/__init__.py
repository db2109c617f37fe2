"""Files and actions of a Delta log."""

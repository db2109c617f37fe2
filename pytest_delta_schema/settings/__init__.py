"""The settings of the package as one table, and the stack of those in force."""

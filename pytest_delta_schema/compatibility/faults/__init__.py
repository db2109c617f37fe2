"""The changes of a contract that are judged: each is a class with a code, whose docstring explains it."""

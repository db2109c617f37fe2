"""Check the arguments of declarations."""

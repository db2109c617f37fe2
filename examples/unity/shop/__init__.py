"""Tables of a shop."""

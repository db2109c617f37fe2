"""Delta logs written by hand, most of them odd, to compare readers."""

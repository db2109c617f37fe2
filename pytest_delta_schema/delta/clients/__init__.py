"""Which clients support which table features."""

"""Orders and customers of a shop, from raw events to daily revenue."""

"""Read tables of the warehouse from their logs, and clone them."""

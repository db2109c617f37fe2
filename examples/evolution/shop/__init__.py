"""A shop whose orders have come a long way."""

"""The outcome, or the failure, of one item."""

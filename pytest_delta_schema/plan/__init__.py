"""What must change: the difference between two states, as actions."""

"""Options and settings of one run."""

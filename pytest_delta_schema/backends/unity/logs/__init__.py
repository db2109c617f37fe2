"""Read the Delta logs that catalog entries name."""

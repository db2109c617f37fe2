"""The hooks of a run that has tables."""

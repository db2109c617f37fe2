"""The lines that end a run, also if it is interrupted."""

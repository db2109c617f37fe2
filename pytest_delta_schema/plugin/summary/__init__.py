"""The end of a run on the terminal, also of one that is interrupted."""

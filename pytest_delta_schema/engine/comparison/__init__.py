"""The declared tables of a run, compared with the contracts of the past."""

"""Write the report files of a run."""

"""Test data and observations for tests of pipelines: rows from models, effects of jobs; pytest is not needed."""

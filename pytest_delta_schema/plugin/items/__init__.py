"""The test items."""

"""The formats of report files."""

"""Differences between versions of pytest, syrupy and xdist."""

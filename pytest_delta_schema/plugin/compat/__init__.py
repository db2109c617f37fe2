"""What differs between versions of pytest, syrupy and xdist."""

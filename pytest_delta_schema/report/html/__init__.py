"""The report of a run as one HTML file that needs nothing besides itself."""

"""Facts of the Delta protocol: table features, type widening, char and varchar, log files."""

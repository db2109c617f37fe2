"""Find out what a stream does over a change of its table, by running one."""

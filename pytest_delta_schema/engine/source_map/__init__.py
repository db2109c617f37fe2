"""Find the lines of source code that declare a table and its parts."""

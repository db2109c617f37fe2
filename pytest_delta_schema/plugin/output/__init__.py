"""Write lines on the terminal while pytest captures output."""

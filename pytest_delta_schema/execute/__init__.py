"""How it is done: statements are run in order, the data is asked first, and every stop is explained."""

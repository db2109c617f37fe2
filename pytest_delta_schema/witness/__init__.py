"""Scripts that show what a changed contract breaks, and running them on local Delta, before the change and after it."""

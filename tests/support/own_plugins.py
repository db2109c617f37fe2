"""Options that leave out the plugins that only our own tests need."""

ALONE = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
"""Each of these plugins takes a process half a second to load."""

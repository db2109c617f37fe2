"""The error of an answer with a large body, which needs no HTTP library."""


class TooLargeError(Exception):
    """A body is larger than the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(limit)

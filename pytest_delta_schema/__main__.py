"""``python -m pytest_delta_schema``, which is the program ``delta-schema``."""

import sys

from pytest_delta_schema.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())

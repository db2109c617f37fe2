"""``python -m pytest_delta_schema translate``: write models as DDL, and DDL as models."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import NO_PYSPARK, lacks_pyspark
from pytest_delta_schema.commands.failure import failed
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.diagnostics.text import printed_line

if TYPE_CHECKING:
    import argparse

SUMMARY = "write the tables of SQL scripts and of Python files as models, or as SQL"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a script of DDL statements, or a Python file (.py), which is run"
    )
    parser.add_argument("--to", choices=("models", "ddl"), required=True, help="what is written to standard output")
    parser.add_argument("--catalog", default="", metavar="NAME", help="the catalog of tables whose names have none")
    parser.add_argument("--schema", default="", metavar="NAME", help="the schema of tables whose names have none")


def run(arguments: argparse.Namespace) -> int:
    """Write the tables of all files together; nothing is written if there is a fault."""
    try:
        from pytest_delta_schema.commands.translation import translated  # noqa: PLC0415 - needs pyspark

        text, remarks = translated(arguments.files, arguments.to, arguments.catalog, arguments.schema)
    except ModuleNotFoundError as error:
        if not lacks_pyspark(error):
            raise
        return failed(NO_PYSPARK)
    except DeltaSchemaError as error:
        return failed(*str(error).splitlines())
    for remark in remarks:
        sys.stderr.write(f"note: {printed_line(remark)}\n")
    sys.stdout.buffer.write(text.encode("utf-8"))
    return 0

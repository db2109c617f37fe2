"""The backend over the double of a workspace: reading is real, and another backend does what statements say."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.tokenizer_core import TokenType

from pytest_delta_schema import DatabricksCatalog
from pytest_delta_schema.testing.databricks import DatabricksDouble

if TYPE_CHECKING:
    from pytest_delta_schema.sql import Statement


class Workspace(DatabricksDouble):
    """The double, which answers only what sqlglot reads as a query of Databricks."""

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Answer a query of information_schema."""
        require_databricks(sql)
        return super().query(sql)


class Doubled(DatabricksCatalog):
    """The backend over such a workspace: reading is real, and the other backend does what statements say."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, read_threads=1)
        self.workspace = workspace
        self.backend = workspace.backend
        self.waited: list[float] = []
        lag = replace(self.capabilities.lag, clock=lambda: sum(self.waited), wait=self.waited.append)
        self.capabilities = replace(self.capabilities, lag=lag)
        self.data_checks = workspace.backend.data_checks  # type: ignore[assignment, method-assign]
        self.insert = workspace.backend.insert

    def run(self, statement: Statement) -> None:
        """Let sqlglot read the statement as Databricks would, and the other backend do it."""
        require_databricks(statement.sql)
        self.workspace.run(statement)


@cache
def require_databricks(sql: str) -> None:
    """Make sure that a statement is one of Databricks'.

    What sqlglot has no tree for, it keeps as a command; such a one has to have a form that Databricks documents.
    """
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    read = sqlglot.parse_one(sql, dialect="databricks")
    if isinstance(read, exp.Command) and not DOCUMENTED.fullmatch(shape(sql)):
        raise AssertionError(f"no form of Databricks: {shape(sql)}")


def shape(sql: str) -> str:
    """Write a statement with ``I`` for each identifier, ``S`` for each text and ``N`` for each number."""
    kinds = {TokenType.STRING: "S", TokenType.NUMBER: "N", TokenType.IDENTIFIER: "I"}
    return " ".join(kinds.get(token.token_type) or token.text.upper() for token in Databricks().tokenize(sql))


_PATH = r"I(?: \. I)*"
_TEXTS = r"\( S(?: , S)* \)"
_PAIRS = r"\( S = S(?: , S = S)* \)"
_EDIT = rf"{_PATH} (?:COMMENT S|(?:SET|DROP) NOT NULL|SET DEFAULT .+|DROP DEFAULT|TYPE .+|FIRST|AFTER I)"
DOCUMENTED = re.compile(
    rf"ALTER TABLE {_PATH} (?:"
    rf"ALTER COLUMN {_EDIT}(?: , {_EDIT})*"
    rf"|(?:ALTER COLUMN I )?(?:SET TAGS {_PAIRS}|UNSET TAGS {_TEXTS})"
    rf"|UNSET TBLPROPERTIES IF EXISTS {_TEXTS})"
)
"""Forms that Databricks documents, and sqlglot only passes on."""

"""``translate``: SQL scripts and Python files as models, or as SQL."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_delta_schema.commands.cli import main

SQL = """\
CREATE TABLE orders (id BIGINT NOT NULL) USING DELTA
LOCATION '/lake/orders' TBLPROPERTIES ('team.token' = 'x', 'team.url' = 'https://a:b@c/', 'team' = 'y');
"""
MODELS = """\
from pyspark.sql.types import LongType
from pytest_delta_schema import Column, Table

# its LOCATION is not declared: a new table is stored where its catalog puts it
# its property team.token is not declared, because it may be a secret
# its property team.url is not declared, because it may be a secret
orders = Table(
    "dev",
    "silver",
    "orders",
    [Column("id", LongType(), is_nullable=False)],
    table_properties={"team": "y"},
)
"""
DDL = """\
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT NOT NULL
)
USING DELTA
TBLPROPERTIES (
  'team' = 'y'
);
"""
SKIP = "remove the statement, or skip such statements by --skip-other"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "shop.sql").write_text(SQL)
    (tmp_path / "models.py").write_text(MODELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("models", None)


def test_a_token_in_a_text_becomes_no_model(folder, capfd):
    token = "AKIAIOSFODNN7EXAMPLE"  # noqa: S105 - of nobody
    (folder / "keys.sql").write_text(f"CREATE TABLE a (id INT COMMENT '{token}') USING DELTA COMMENT '{token}'")

    assert main(["translate", "keys.sql", "--to=models", "--catalog=dev", "--schema=silver"]) == 1

    out, err = capfd.readouterr()
    assert out == ""
    assert err == (
        "error: dev.silver.a: its model would hold what has the form of a token: comment, columns.id.comment; remove it"
        " from the script\n"
    )


@pytest.mark.usefixtures("folder")
def test_a_script_becomes_models(capfd):
    assert main(["translate", "shop.sql", "--to=models", "--catalog=dev", "--schema=silver"]) == 0

    out, err = capfd.readouterr()
    assert out == MODELS
    assert err == (
        "note: dev.silver.orders: its LOCATION is not declared: a new table is stored where its catalog puts it\n"
    )


@pytest.mark.usefixtures("folder")
def test_models_become_a_script(capfd):
    assert main(["translate", "models.py", "--to=ddl"]) == 0

    assert capfd.readouterr() == (DDL, "")


FAULTS = [
    (
        ["shop.sql"],
        [
            "error: shop.sql: statement 1, line 1: the name orders lacks its catalog and schema; write catalog.schema.table, or give the catalog and the schema of such names",
        ],
    ),
    (
        ["bad.sql"],
        [
            f"error: bad.sql: statement 1, line 1: INSERT is not part of a declaration; {SKIP}",
            f"error: bad.sql: statement 2, line 1: DROP is not part of a declaration; {SKIP}",
        ],
    ),
    (
        ["none.sql"],
        ["error: none.sql cannot be read: No such file or directory; name a script of DDL statements"],
    ),
    (["fails.py"], ["error: fails.py cannot be run: ZeroDivisionError: division by zero; correct it"]),
    (["empty.py"], ["error: empty.py declares no table; name a file that does"]),
    (
        ["models.py", "again.sql"],
        ["error: dev.silver.orders: declared more than once; name one file for each table"],
    ),
]


def test_nothing_is_written_if_there_is_a_fault(folder, capfd):
    (folder / "bad.sql").write_text("INSERT INTO x VALUES (1); DROP TABLE y")
    (folder / "fails.py").write_text("1 / 0")
    (folder / "empty.py").write_text("x = [1]")
    (folder / "again.sql").write_text("CREATE TABLE dev.silver.orders (id INT)")

    for files, errors in FAULTS:
        assert main(["translate", *files, "--to=models"]) == 1

        out, err = capfd.readouterr()
        assert out == ""
        assert err.splitlines() == errors


@pytest.mark.usefixtures("folder")
def test_without_pyspark_the_command_says_what_to_install():
    text = "import sys; sys.modules['pyspark'] = None; from pytest_delta_schema.commands.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", text, "translate", "shop.sql", "--to=ddl"]

    answer = subprocess.run(command, capture_output=True, text=True, check=False)

    assert answer.returncode == 1
    assert answer.stderr.startswith("error: declared tables need pyspark, which is not installed; run: pip install")

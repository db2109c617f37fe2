"""Models held to data contracts: the setting ``odcs`` and the check of the same name."""

from __future__ import annotations

import json

import pytest

HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
servers:
  - {server: production, type: databricks, host: x.example, catalog: prod, schema: silver}
"""
ORDERS = """\
schema:
  - name: orders
    properties:
      - {name: id, physicalType: bigint, primaryKey: true, description: Order ID}
      - {name: amount, logicalType: number}
"""
MODELS = """
from pytest_delta_schema import Column, Table

orders = Table(
    "prod", "silver", "orders",
    [Column("id", "bigint", is_nullable=False), Column("amount", "decimal(18,2)")],
    primary_key=["id"],
)
"""
OTHER = """
other = Table("prod", "silver", "other", [Column("id", "bigint")])
"""
ODCS = ("-m", "delta_odcs")


@pytest.fixture
def shop(project):
    """A project whose model agrees with its data contract."""
    folder = project.path / "agreed"
    folder.mkdir()
    (folder / "shop.odcs.yaml").write_text(HEAD + ORDERS)
    project.models(MODELS)
    project.settings('models = ["models"]', 'odcs = ["agreed/*.odcs.yaml"]')
    return project


def failures(result) -> list[str]:
    """Return the first line of each failure."""
    lines = result.stdout.lines
    return [lines[number + 1] for number, line in enumerate(lines) if line.startswith("___")]


def test_models_are_compared_by_both_lines_and_those_without_a_contract_are_counted(shop):
    shop.models(MODELS.replace('"bigint"', '"int"') + OTHER)
    shop.settings('models = ["models"]', 'odcs = ["agreed/*.odcs.yaml"]', "odcs_comments = true", 'backend = "memory"')

    result = shop.run("--delta-drift", "-m", "delta_drift or delta_odcs", "--delta-report=json:r.json")

    (start,) = (at for at, line in enumerate(result.outlines) if line.startswith("prod.silver.orders: 2 differences"))
    remedy = "change the model, or agree on another contract"
    assert result.outlines[start : start + 6] == [
        "prod.silver.orders: 2 differences from its data contract: columns.id, columns.id.comment",
        "",
        "declared at models.py:10",
        "",
        f"  columns.id is int in the model and bigint in agreed/shop.odcs.yaml:11; {remedy}",
        f"  columns.id.comment is '' in the model and 'Order ID' in agreed/shop.odcs.yaml:11; {remedy}",
    ]
    result.stdout.fnmatch_lines(["drift: 2 drifted, 0 statements run", "odcs: 1 model without a data contract"])
    report = json.loads((shop.path / "r.json").read_text())
    (check,) = [check for table in report["tables"] for check in table["checks"] if check["check"] == "odcs"]
    assert (check["node_id"], check["outcome"]) == ("models.py::prod.silver.orders::odcs", "failed")


def test_a_table_without_a_model_and_a_table_in_two_contracts_fail(shop):
    (shop.path / "agreed" / "more.odcs.yaml").write_text(
        HEAD + ORDERS + "  - name: gone\n    properties:\n      - {name: id, physicalType: bigint}\n"
    )

    result = shop.run(*ODCS)

    assert failures(result) == [
        (
            "prod.silver.orders: is described in agreed/more.odcs.yaml:9 and agreed/shop.odcs.yaml:9; describe it once "
            "[DS130 ContractDiffers]"
        ),
        (
            "prod.silver.gone: is described in agreed/more.odcs.yaml:13, and no model declares it; declare it, such as by "
            "delta-schema translate agreed/more.odcs.yaml --to=models, or remove it there [DS130 ContractDiffers]"
        ),
    ]
    # A part of the project does not tell which models there are.
    assert len(failures(shop.run(*ODCS, "models.py"))) == 1


def test_a_file_that_cannot_be_read_fails_with_all_its_faults_in_a_worker(shop):
    (shop.path / "agreed" / "bad.odcs.yaml").write_text("a: &x 1\nb: 1\nb: 2\n")

    result = shop.run(*ODCS, "-v", "-n1")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "agreed/bad.odcs.yaml:1: has the anchor or alias x; write the value where it is needed; and 1 more fault",
            "  agreed/bad.odcs.yaml:3: has the key b twice, first in line 2; remove one of the two",
        ]
    )


def test_what_a_contract_says_of_a_table_and_cannot_be_fails_its_check(shop):
    (shop.path / "agreed" / "shop.odcs.yaml").write_text(HEAD + ORDERS.replace("bigint", "BIGIN"))

    assert failures(shop.run(*ODCS)) == [
        (
            "prod.silver.orders: agreed/shop.odcs.yaml:11: schema[0].properties[0].physicalType is BIGIN, which is not a "
            "Spark type: there is no type bigin; did you mean bigint?; correct it"
        )
    ]


def test_of_several_servers_that_is_meant_to_which_models_are_bound(shop):
    servers = HEAD + "  - {server: dev, type: databricks, host: x.example, catalog: lab, schema: silver}\n"
    (shop.path / "agreed" / "shop.odcs.yaml").write_text(servers + ORDERS)
    shop.models(MODELS.replace('"prod"', '"dev"'))

    (fault,) = failures(shop.run(*ODCS))
    shop.run(*ODCS, "--delta-bind=dev=prod").assert_outcomes(passed=1)

    assert fault.startswith("agreed/shop.odcs.yaml:6: servers names different places: dev (lab.silver), production ")

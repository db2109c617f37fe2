"""Models, SQL scripts and data contracts."""

from models import orders
from pytest_delta_schema.exchange import from_ddl, from_odcs, to_ddl


def test_from_ddl(caplog):
    (table,) = from_ddl(
        """
        CREATE TABLE silver.events (id BIGINT NOT NULL PRIMARY KEY, kind STRING DEFAULT 'x' COMMENT 'Kind')
        USING DELTA CLUSTER BY (kind) LOCATION '/lake/events';
        """,
        catalog_name="dev",
    )

    assert table.qualified_name == "dev.silver.events"
    assert table.primary_key == ("id",)
    assert table.columns[1].default == "'x'"
    assert "its LOCATION is not declared" in caplog.text


def test_to_ddl():
    script = to_ddl([orders])

    assert "CREATE TABLE `dev`.`silver`.`orders` (" in script
    assert to_ddl(from_ddl(script)) == script


def test_from_odcs(tmp_path):
    contract = tmp_path / "shop.odcs.yaml"
    contract.write_text("""
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
servers:
  - {server: production, type: databricks, host: shop.example, catalog: prod, schema: silver}
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integer, physicalType: bigint, primaryKey: true}
      - {name: amount, logicalType: number, physicalType: "decimal(18,2)", logicalTypeOptions: {minimum: 0}}
""")

    (table,) = from_odcs(contract)

    assert table.qualified_name == "prod.silver.orders"
    assert table.primary_key == ("id",)
    assert [check.expression for check in table.checks] == ["`amount` >= 0"]

"""Models and SQL scripts."""

from models import orders
from pytest_delta_schema.exchange import from_ddl, to_ddl


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

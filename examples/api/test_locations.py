"""Tables in folders, without a catalog."""

from changes import ID, table
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType

from pytest_delta_schema import assert_no_drift
from pytest_delta_schema.backends.locations import LocationsCatalog

MODEL = table(ID)


def test_locations_catalog(tmp_path):
    columns = Schema([Field("id", PrimitiveType("long"), nullable=False)])
    DeltaTable.create(tmp_path / "silver" / "Orders", columns)
    catalog = LocationsCatalog({"dev.silver": str(tmp_path / "silver")})

    assert catalog.table_names("dev", "silver") == (MODEL.name,)
    assert_no_drift(MODEL, catalog=catalog)

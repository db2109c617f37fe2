"""Bronze: files are appended line by line."""

from shop.events import load_events
from shop.models import order_events

from pytest_delta_schema import assert_table_equals


def test_each_line_of_a_file_becomes_a_row(make_delta_table, delta_spark, delta_effect, tmp_path):
    events = make_delta_table(order_events)
    (tmp_path / "monday.json").write_text('{"order_id": 1}\nnot JSON\n')

    with delta_effect(events) as effect:
        load_events(delta_spark, str(tmp_path), events.qualified_name)

    assert effect.only("WRITE")
    assert effect.kept_contract(order_events)
    assert_table_equals(
        events,
        [
            {"source": "monday.json", "payload": '{"order_id": 1}'},
            {"source": "monday.json", "payload": "not JSON"},
        ],
        ignore=["loaded"],
    )

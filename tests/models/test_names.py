"""Names of keys: always the same, and different for different keys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.models import Binding
from pytest_delta_schema.models.names import CONSTRAINT_NAME_LIMIT, key_name, parse_binding
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases
from support.models import NAME, column, table


def test_names():
    swapped = ["a", "b_c", "a_b", "c"]
    with cases(lambda kind, key, columns: key_name(kind, NAME, key, columns)) as case:
        case("pk", ["id"], ["id"], "pk_dev_silver_orders__id")
        case("fk", ["Customer_Id"], ["Customer_Id", "x"], "fk_dev_silver_orders__customer_id")
        case("pk", ["b", "a"], ["a", "b", "price"], "pk_dev_silver_orders__b_a")
        case("pk", ["a", "b_c"], swapped, "pk_dev_silver_orders__a_b_c_ee064e85")
        case("pk", ["a_b", "c"], swapped, "pk_dev_silver_orders__a_b_c_20b04880")
        case("pk", ["a_b"], ["a", "b", "A_B"], "pk_dev_silver_orders__a_b_1175c23e")


def test_a_key_is_named_after_the_declaration_whatever_its_table_is_bound_to():
    bound = Binding((parse_binding("dev=ci"),)).table(table(column(), primary_key=["id"]))

    assert desired_state(bound).primary_key.name == "pk_dev_silver_orders__id"


def test_a_pair_that_maps_no_name_is_unused():
    binding = Binding(tuple(map(parse_binding, ("dev=ci", "prod.gold=ci.gold", "dev.silver.items=ci.a.b"))))

    assert binding.unused([NAME]) == ("prod.gold=ci.gold", "dev.silver.items=ci.a.b")
    assert binding.unused(iter([NAME._replace(table="items"), QualifiedName("prod", "gold", "x")])) == ()


def test_a_long_name_is_cut_and_hashed_within_the_limit():
    long = "c" * 300

    name = key_name("pk", NAME, [long])

    assert len(name) == CONSTRAINT_NAME_LIMIT
    assert name == "pk_dev_silver_orders__" + "c" * 224 + "_5076f743"
    assert name != key_name("pk", NAME, [long + "c"])


WORDS = st.text(alphabet="ab_", min_size=1, max_size=6)


@given(columns=st.lists(WORDS, min_size=1, max_size=6, unique=True), data=st.data())
def test_different_keys_of_one_table_have_different_names(columns, data):
    keys = st.lists(st.sampled_from(columns), min_size=1, max_size=3, unique=True)
    one, other = data.draw(keys), data.draw(keys)

    names = [key_name("pk", NAME, key, columns) for key in (one, other)]

    assert (names[0] == names[1]) == (one == other)

"""Fingerprints: one query over a relation, and the comparison of two of them."""

from __future__ import annotations

from decimal import Decimal

from pytest_delta_schema.sql.data_check_queries import Fingerprint, difference, fingerprint_query
from pytest_delta_schema.state import ArrayState, ColumnState, MapState, StructState
from support.case_tables import cases, named_cases
from support.models import stored

PARTS = {
    "bigint": ("bigint", "xxhash64(`a` IS NULL, `a`)"),
    "char, without the blanks that Spark adds": ("char(3)", "xxhash64(`a` IS NULL, rtrim(`a`))"),
    "double, with the sign of its zeros": (
        "double",
        "xxhash64(`a` IS NULL, `a`, CASE WHEN `a` = 0 THEN CAST(`a` AS STRING) END)",
    ),
    "variant": ("variant", "xxhash64(`a` IS NULL, to_json(`a`))"),
    "void": ("void", "xxhash64(`a` IS NULL)"),
    "struct": (
        StructState((stored("b.c"), ColumnState("d", StructState((stored("e", "void"),)), True, ""))),
        "xxhash64(`a` IS NULL, `a`.`b.c` IS NULL, `a`.`b.c`, `a`.`d` IS NULL, `a`.`d`.`e` IS NULL)",
    ),
    "map": (
        MapState("string", "int", value_contains_null=True),
        (
            "xxhash64(`a` IS NULL, array_sort(transform(map_entries(`a`), e0 -> xxhash64(e0.key IS NULL, e0.key,"
            " e0.value IS NULL, e0.value))))"
        ),
    ),
    "array of maps to arrays of structs": (
        ArrayState(
            MapState(
                "int", ArrayState(StructState((stored("f", "variant"),)), contains_null=True), value_contains_null=True
            ),
            contains_null=True,
        ),
        (
            "xxhash64(`a` IS NULL, transform(`a`, e0 -> xxhash64(e0 IS NULL, array_sort(transform(map_entries(e0),"
            " e1 -> xxhash64(e1.key IS NULL, e1.key, e1.value IS NULL, transform(e1.value, e2 -> xxhash64(e2 IS NULL,"
            " e2.`f` IS NULL, to_json(e2.`f`)))))))))"
        ),
    ),
}


def test_every_type_is_hashed_so_that_no_two_values_are_one():
    before = "SELECT count(*), sum(CAST(h0 AS DECIMAL(38,0))), sum(CAST(xxhash64(h0) AS DECIMAL(38,0))) FROM (SELECT "
    with named_cases(lambda data_type: fingerprint_query("`t`", [stored("a", data_type)])) as case:
        for name, (data_type, hashed) in PARTS.items():
            case(name, data_type, f"{before}{hashed} AS h0 FROM `t`)")


BEFORE = Fingerprint(2, (Decimal(5), Decimal(7)), Decimal(9))


def test_a_difference_names_the_columns():
    with cases(lambda after: difference([stored("a"), stored("b", "date")], BEFORE, after)) as case:
        case(BEFORE, "")
        case(Fingerprint(0, (None, None), None), "there are 0 rows instead of 2")
        case(Fingerprint(1, (Decimal(5), Decimal(7)), Decimal(9)), "there are 1 rows instead of 2")
        other = BEFORE._replace(columns=(Decimal(5), Decimal(8)), whole=Decimal(1))
        case(other, "the values of column b (date) differ")
        both = BEFORE._replace(columns=(Decimal(4), Decimal(8)), whole=Decimal(1))
        case(both, "the values of columns a (bigint), b (date) differ")
        case(BEFORE._replace(whole=Decimal(1)), "values were swapped between rows")


def test_the_row_of_the_query_is_a_fingerprint():
    assert Fingerprint.of([2, Decimal(5), Decimal(7), Decimal(9)]) == BEFORE
    assert Fingerprint.of([0, None, None]) == Fingerprint(0, (None,), None)

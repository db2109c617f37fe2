"""Check that an argument is a catalog."""

from __future__ import annotations

from pytest_delta_schema.models.argument_checks.wrong_kinds import refuse_kind


def require_reader(value: object, subject: str) -> None:
    """Raise unless a value can read tables, as catalogs do.

    Raises:
        DeclarationError: If it is something else, such as the class of a catalog.
    """
    if isinstance(value, type) or not hasattr(value, "snapshot") or not hasattr(value, "read_tables"):
        remedy = "give one, such as the fixture delta_catalog, or MemoryCatalog()"
        refuse_kind(subject, "a catalog", value, remedy)

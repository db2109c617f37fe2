"""An extension of griffe: the parameters of a named tuple are its fields."""

from __future__ import annotations

from typing import Any

import griffe


class NamedTuples(griffe.Extension):
    """Gives classes that inherit from ``NamedTuple`` the constructor that Python makes for them."""

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add the constructor when the fields of a class are known."""
        if "NamedTuple" not in map(str, cls.bases) or "__init__" in cls.members:
            return
        fields = [
            attribute
            for attribute in cls.attributes.values()
            if attribute.annotation is not None and not attribute.name.startswith("_")
        ]
        parameters = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
        parameters += [
            griffe.Parameter(
                field.name,
                annotation=field.annotation,
                kind=griffe.ParameterKind.positional_or_keyword,
                default=field.value,
            )
            for field in fields
        ]
        cls.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*parameters)))

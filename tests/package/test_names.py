"""One name once: a public name of the package is defined in one module, so that a search finds one thing."""

from __future__ import annotations

from support.structure import PACKAGE, ROOT, modules_by_name, modules_of, top_level_names

SEVERAL = {
    "BACKEND": "each backend exports itself under the name that the registry reads",
    "CAPABILITIES": "the record of each backend",
    "RENDERERS": "each aspect registers its statements under the name that the compiler reads",
    "SUMMARY": "part of the interface of a command",
    "VERSIONS": "the versions with which a compat module was tested",
    "add_arguments": "part of the interface of a command",
    "main": "the entry point of a process",
    "run": "part of the interface of a command; and what runs a program",
    "text": "a text for a page, as HTML and as Markdown",
}
"""Public names that several modules define, with the reason."""


def modules_of_names() -> dict[str, list[str]]:
    """Return the modules of each name; those of the scenarios and of the server that tests start are not looked at.

    The entry module of a folder may offer a function of a module below it under the same name, to import it late.
    """
    modules = [module for module in modules_of(ROOT).values() if "testing" not in module.path.parts]
    return {
        name: [
            module.path.relative_to(PACKAGE).as_posix()
            for module in defining
            if module.path.name != "__init__.py"
            or not any(module.path.parent in other.path.parents for other in defining if other != module)
        ]
        for name, defining in modules_by_name(modules, top_level_names).items()
    }


def test_a_public_name_is_defined_once():
    repeated = {name: paths for name, paths in modules_of_names().items() if len(paths) > 1}

    assert {name: paths for name, paths in repeated.items() if name not in SEVERAL} == {}
    assert sorted(SEVERAL) == sorted(repeated)

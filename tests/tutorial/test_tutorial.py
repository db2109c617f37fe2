"""What `make test-tutorial` takes from the pages, and how it compares; no JVM, no pip."""

from __future__ import annotations

import os

import pytest

from support.pages import steps
from tutorial.__main__ import PAGE
from tutorial.journey import EXTRA, Command, follow
from tutorial.shell import Shell, ShellError

STORY = """
```sh
mkdir shop && cd shop
cd . && echo pytest-delta-schema[spark] >installed
```
```python
# models.py
x = 1
```
<!-- catalog:
apply()
-->
```console
$ cat installed models.py
...
x = 1
$ echo 'drift: 1 drifted, 0 statements run'; false
drift: 1 drifted, 0 statements run
$ echo 'drift: 1 drifted, 0 statements run'
drift: 1 drifted, 0 statements run
$ echo one; false
two
$ echo one; exit 3
one
```
"""


@pytest.fixture
def shell(tmp_path):
    with Shell(tmp_path, {"PATH": os.environ["PATH"]}) as shell:
        yield shell


def test_a_page_is_followed_as_it_is_typed(shell, tmp_path):
    commands: list[Command] = []

    with pytest.raises(ShellError, match="exit 3 has ended the shell"):
        commands.extend(follow(STORY, shell, tmp_path / "shop", "the-wheel"))

    assert (tmp_path / "shop" / "installed").read_text() == "the-wheel\n"
    assert [(command.line, command.ran.command, command.fault) for command in commands] == [
        (2, "mkdir shop && cd shop", ""),
        (2, "cd . && echo the-wheel >installed", ""),
        (13, "cat installed models.py", ""),
        (13, "echo 'drift: 1 drifted, 0 statements run'; false", ""),
        (13, "echo 'drift: 1 drifted, 0 statements run'", "ended with exit code 0"),
        (13, "echo one; false", "does not print 'two' here"),
    ]


def test_the_page_installs_the_package_and_has_a_gate_that_passes_and_one_that_fails():
    known = steps(PAGE.read_text("utf-8"))
    installs = [step.line for step in known if step.kind == "sh" and EXTRA in step.body]
    gates = [step.body for step in known if step.kind == "run" and step.head == "pytest --delta-drift"]

    assert len(installs) == 1
    assert ["drift: 1 in sync" in body for body in gates] == [True, False]

"""What `make test-tutorial` takes from the page, how it measures and compares, and what it records; no JVM, no pip."""

from __future__ import annotations

import os
import re

import pytest

from pytest_delta_schema.delta import PAIRS
from support.pages import DOCS, PageError, steps
from tutorial import record
from tutorial.__main__ import GUIDES, PAGE, commands_of, main, variables
from tutorial.journey import EXTRA, Command, Journey, follow
from tutorial.shell import Ran, Shell, ShellError, Silence, longest_silence, screen_lines

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


def command(text, fault="", *, code=0, silence=1.0, end=0.0):
    silent = Silence(seconds=silence, after="x")
    return Command(line=7, ran=Ran(command=text, code=code, lines=[], silence=silent, start=0.0, end=end), fault=fault)


GOOD = [
    command("pip install x", silence=60.0, end=100.0),
    command("pytest --delta-apply", silence=2.5, end=140.0),
    command("pytest --delta-drift", code=1, end=150.0),
    command("pytest --delta-drift", end=160.0),
]


@pytest.fixture
def shell(tmp_path):
    with Shell(tmp_path, {"PATH": os.environ["PATH"]}) as shell:
        yield shell


def test_commands_run_one_after_the_other_in_one_shell_on_a_terminal(shell):
    first, second, third = (shell.run(text) for text in ("cd /; false", "pwd", "test -t 1 && stty size"))

    assert [(ran.code, ran.lines) for ran in (first, second, third)] == [(1, []), (0, ["/"]), (0, ["24 80"])]
    assert first.start <= first.end <= second.start


def test_lines_are_those_that_the_terminal_shows_in_the_end():
    shown = {
        b"": [],
        b"a\r\n\r\nb\r\n": ["a", "", "b"],
        b"\x1b[32mpassed\x1b[0m  \r\n": ["passed"],
        b".\r\n\r10 MB so far   \r20 MB\r\nend": [".", "20 MB so far", "end"],
        b"\x1b]0;title\x07x \xe2\x82\xac": ["x \u20ac"],
    }

    assert {output: screen_lines(output) for output in shown} == shown


def test_the_longest_silence_is_between_two_writes():
    parts = [b"", b"a\r\nb\r", b"\r\nc", b"end"]

    assert longest_silence([0.0, 7.0], [b"", b"end"]) == Silence(seconds=7.0)
    assert longest_silence([0.0, 1.0, 5.0, 7.0], parts) == Silence(seconds=4.0, after="b")
    assert longest_silence([0.0, 1.0, 2.0, 7.0], parts) == Silence(seconds=5.0, after="c")


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


def test_what_a_reader_cannot_do_stops_the_page(shell, tmp_path):
    for text in ("```sh\ncd nowhere\n```", "The examples start from [this](index.md#project)."):
        with pytest.raises(PageError, match="line 1: "):
            list(follow(text, shell, tmp_path, "the-wheel"))


def test_the_page_installs_the_package_and_has_a_gate_that_passes_and_one_that_fails():
    known = steps(PAGE.read_text("utf-8"))
    installs = [step.line for step in known if step.kind == "sh" and EXTRA in step.body]
    gates = [step.body for step in known if step.kind == "run" and step.head == "pytest --delta-drift"]

    assert len(installs) == 1
    assert ["drift: 1 in sync" in body for body in gates] == [True, False]


def test_a_journey_fails_by_its_output_its_silence_and_its_time():
    other, silent, late = (
        command("pytest", "does not print 'x' here"),
        command("pytest", silence=5.12),
        command("pytest --delta-drift", end=281.0),
    )
    journeys = [
        (GOOD, []),
        ([*GOOD, other], ["line 7: $ pytest does not print 'x' here"]),
        ([*GOOD, silent], ["$ pytest was silent for 5.1 s, after: x"]),
        ([*GOOD[:3], late], ["the first gate passed 181 s after the installation, which is more than 180 s"]),
    ]

    assert [Journey(commands=commands).faults for commands, _ in journeys] == [faults for _, faults in journeys]
    stopped = Journey(commands=GOOD[:1], stop="pip failed")
    assert stopped.faults == ["no gate has passed after the installation", "pip failed"]
    assert [
        extra
        for extra, facts in record.records().items()
        if facts["failed"] or facts["stopped"] or facts["silence"] > 5 or facts["first_green_drift"] > 180
    ] == []


def test_the_shell_of_the_reader_has_an_empty_cache_the_pins_of_the_pair_and_no_settings(tmp_path, monkeypatch):
    for name in ("PYTHONPATH", "PYTEST_ADDOPTS", "DELTA_SCHEMA_TEST_ALL", "SPARK_HOME", "CI"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("PIP_CACHE_DIR", "/shared/pip")

    known = variables(PAIRS[0], tmp_path)

    assert (known["PIP_CACHE_DIR"], known["XDG_CACHE_HOME"]) == ("/shared/pip", str(tmp_path / "cache"))
    assert "pyspark==3.5.9\n" in (tmp_path / "constraints.txt").read_text()
    assert [name for name, value in known.items() if value == "x"] == []


def test_an_unknown_pair_is_named(capsys):
    assert main(["spark36"]) == 2
    assert capsys.readouterr().err == (
        "there is no pair or guide spark36; name some of spark35, spark40, spark41, spark42, databricks, folders, unity-catalog\n"
    )


def test_a_guide_is_installed_as_its_page_says():
    page = steps("```sh\npip install 'pytest-delta-schema[unity]'\npip install --no-deps pyspark-client\ncd x\n```\n")

    assert list(commands_of(page, "file:///a.whl")) == [
        "python -m venv .venv && . .venv/bin/activate",
        "pip install 'pytest-delta-schema[unity] @ file:///a.whl'",
        "pip install --no-deps pyspark-client",
        "pytest --snapshot-update",
        "pytest --delta-drift",
    ]


def test_every_guide_that_installs_an_extra_of_its_own_is_followed():
    installs = re.compile(r"^pip install 'pytest-delta-schema\[(?!spark\])", re.MULTILINE)
    pages = {path.stem: path.read_text("utf-8") for path in (DOCS / "guides").glob("*.md")}

    assert {name for name, text in pages.items() if installs.search(text)} == set(GUIDES)

"""All settings of a run as a function of its command line and its section: what is read, what counts, what is wrong."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path

import pytest

from pytest_delta_schema.configuration.files import ProjectFile, toml
from pytest_delta_schema.configuration.report_targets import ReportTarget
from pytest_delta_schema.configuration.sources import from_sources
from pytest_delta_schema.diagnostics.redaction import Uri
from pytest_delta_schema.rules.consent import Consent
from pytest_delta_schema.rules.policy import CompatibilityEntry, CompatibilityPolicy
from pytest_delta_schema.settings.table import SETTINGS
from support.snapshots import TextSnapshot

PROJECT = Path("/project")
BEFORE = "pyproject.toml: [tool.pytest_delta_schema]: "
DAY = date(2999, 1, 1)
AGREED = Consent("rewrite", "dev.gold.other", is_pattern=True, reason="partitions", expires=DAY)


def read(command_line=None, section=None):
    project = ProjectFile(PROJECT / "pyproject.toml", toml(section or ""), "pyproject.toml")
    return from_sources(command_line or {}, project, Path("/here"))


def test_without_sources_every_setting_has_its_default():
    sources = from_sources()

    assert sources.values == {setting.name: setting.default for setting in SETTINGS}
    assert (sources.project, sources.faults) == ({}, ())


IN_THE_SECTION = {
    'models = ["models"]': ("models",),
    'backend = "memory"': "memory",
    'warehouse = "lake/{worker}"': "/project/lake/{worker}",
    'warehouse = "/abs"': "/abs",
    'scratch_catalog = "scratch"': "scratch",
    'scratch_backend = "memory"': "memory",
    'bind = { "dev.Silver" = "ci.x", dev = "ci" }': ((("dev", "silver"), ("ci", "x")), (("dev",), ("ci",))),
    'max_risk = "scan"': "scan",
    'protected = ["prod.*"]': ("prod.*",),
    'preflight = "limit"': "limit",
    "preflight_samples = 0": 0,
    'on_failure = "restore"': "restore",
    'enable_features = ["typeWidening"]': ("typeWidening",),
    'rules = ["shop.rules:NoFloats"]': ("shop.rules:NoFloats",),
    'default_properties = { team = "sales", "delta.appendOnly" = true, n = 1 }': (
        ("team", "sales"),
        ("delta.appendOnly", "true"),
        ("n", "1"),
    ),
    'properties = { "legacy.*" = "forbid" }': (("legacy.*", "forbid"),),
    "owned_properties = true": True,
    'clients = ["Trino >= 470 (read)", "athena"]': ("trino>=470 (read)", "athena"),
    'client_features = { "trino.clustering" = 482 }': (("trino.clustering", "482"),),
    'compatibility = [{ path = "prod.**", min_notice = 90 }]': (
        CompatibilityEntry("prod.**", policy=CompatibilityPolicy(min_notice=90)),
    ),
    'release_tags = ["release/*", "v[0-9]*"]': ("release/*", "v[0-9]*"),
    'unmanaged = "fail"': "fail",
    'unmanaged_ignore = ["*.tmp_*"]': ("*.tmp_*",),
    'odcs = ["agreed/*.odcs.yaml"]': ("agreed/*.odcs.yaml",),
    "odcs_comments = true": True,
    'unity_uri = "https://unity.example.com"': Uri("https://unity.example.com"),
    'unity_uri = ""': None,
    'unity_token_variable = "LAKE_TOKEN"': "LAKE_TOKEN",
    "unity_timeout = 7": 7.0,
    'sync = ["on-read", "recreate"]': ("on-read", "recreate"),
    'databricks_warehouse = "abc"': "abc",
    "databricks_start_timeout = 900.5": 900.5,
    'storage = [{ prefix = "s3://lake", path_style = true }]': ({"prefix": "s3://lake", "path_style": True},),
    'locations = { "dev.Silver" = "s3://lake/silver/" }': ((("dev", "silver"), "s3://lake/silver"),),
    'storage_options = { timeout = "2m", max_retries = 5 }': (("timeout", "2m"), ("max_retries", "5")),
    'report = ["json:out/a.json", "gitlab"]': (
        ReportTarget("json", "/project/out/a.json", "/project"),
        ReportTarget("gitlab", "", "/project"),
    ),
    "report_samples = true": True,
    'allow = [{ action = "rewrite", path = "dev.gold.other", reason = "partitions", expires = 2999-01-01 }]': (AGREED,),
}
"""A line of the section, and the value of its setting."""


def test_the_section_takes_a_setting_in_the_types_of_toml():
    for line, value in IN_THE_SECTION.items():
        name = line.partition(" ")[0]
        sources = read(section=line)

        assert (line, sources.faults, sources.values[name], sources.project) == (line, (), value, {name: value})


def test_an_option_gives_every_setting_of_the_section_for_one_run():
    for line, expected in IN_THE_SECTION.items():
        if not line.startswith(("warehouse", "report =")):
            name, _, value = line.partition(" = ")
            sources = read({"set": [f"{name}={value}"]})

            assert (line, sources.faults, sources.values[name], sources.project) == (line, (), expected, {})


def test_every_setting_of_the_section_is_tried():
    tried = {line.partition(" ")[0] for line in IN_THE_SECTION}

    assert tried == {setting.name for setting in SETTINGS if not setting.is_option_only}


def test_texts_need_no_quotes_and_paths_start_where_they_are_written():
    texts = [
        ("on_failure=restore", "on_failure", "restore"),
        (' on_failure = "restore" ', "on_failure", "restore"),
        ("unity_uri=https://unity.example.com/x?a=b", "unity_uri", Uri("https://unity.example.com/x?a=b")),
        ("databricks_warehouse=0123abc", "databricks_warehouse", "0123abc"),
        ("databricks_warehouse=2999-01-01", "databricks_warehouse", "2999-01-01"),
        ("scratch_catalog='a \"b\"'", "scratch_catalog", 'a "b"'),
        ("backend=memory", "backend", "memory"),
        ("warehouse=lake", "warehouse", "/here/lake"),
        ('report=["json:a.json"]', "report", (ReportTarget("json", "/here/a.json", "/here"),)),
        ("protected=[]", "protected", ()),
        ("unity_timeout=1.5", "unity_timeout", 1.5),
    ]
    read_sources = [(text, name, read({"set": [text]})) for text, name, _ in texts]

    assert [sources.faults for *_, sources in read_sources] == [()] * len(texts)
    assert [(text, name, sources.values[name]) for text, name, sources in read_sources] == texts


@pytest.mark.parametrize(
    ("command_line", "section", "values"),
    [
        pytest.param({"backend": "memory"}, 'backend = "unity"', {"backend": "memory"}, id="an option"),
        pytest.param(
            {"set": ["backend=memory"]}, 'backend = "unity"', {"backend": "memory"}, id="a setting of one run"
        ),
        pytest.param(
            {"backend": "memory", "set": ["backend=session"]}, 'backend = "unity"', {"backend": "memory"}, id="both"
        ),
        pytest.param(
            {"set": ['protected=["c.*"]']}, 'protected = ["b.*"]', {"protected": ("c.*",)}, id="a list of one run"
        ),
        pytest.param(
            {"report": ["json"]},
            'report = ["gitlab"]',
            {"report": (ReportTarget("gitlab", "", "/project"), ReportTarget("json", "", "/here"))},
            id="options after the section",
        ),
        pytest.param(
            {"bind": ["dev=cli", "dev.gold=x.y"], "set": ["bind={ 'dev.silver' = 'set.s' }"]},
            'bind = { dev = "toml" }',
            {"bind": ((("dev", "silver"), ("set", "s")), (("dev",), ("cli",)), (("dev", "gold"), ("x", "y")))},
            id="bindings of options and of one run",
        ),
        pytest.param(
            {"bind": ["DEV.silver=cli.s"]},
            'bind = { "dev.silver" = "toml.s", "dev.gold" = "toml.g" }',
            {"bind": ((("dev", "silver"), ("cli", "s")), (("dev", "gold"), ("toml", "g")))},
            id="a binding by its name",
        ),
        pytest.param({"drift": True, "against": ["main"]}, "", {"drift": True, "against": ("main",)}, id="modes"),
    ],
)
def test_the_command_line_counts_and_its_lists_add_to_those_of_the_section(command_line, section, values):
    sources = read(command_line, section)

    assert sources.faults == ()
    assert {name: sources.values[name] for name in values} == values


def test_consents_are_known_by_their_source():
    text = "drop-column dev.silver.orders.x"

    sources = read({"allow": [text]}, f"allow = [{IN_TOML}]")

    assert [str(consent) for consent in sources.values["allow"]] == ["rewrite dev.gold.other", text]
    assert [consent.is_pattern for consent in sources.values["allow"]] == [True, False]
    assert sources.project["allow"] == (AGREED,)


IN_TOML = '{ action = "rewrite", path = "dev.gold.other", reason = "partitions", expires = 2999-01-01 }'

WRONG = [
    "bakend = 'memory'",
    "drift = true",
    "read-only = 1",
    "preflight = 'all'",
    "preflight_samples = -1",
    "max_risk = 'high'",
    "models = 'shop'",
    "owned_properties = 'yes'",
    "unity_timeout = 0",
    "unity_uri = ['https://user:hunter2@a']",
    "bind = { dev = ['ci'] }",
    "enable_features = ['deletionVectors']",
    "rules = ['NoFloats']",
    "bind = { dev.silver = 'ci.x' }",
    "default_properties = { a = ['b'] }",
    "properties = { a = 'own' }",
    "allow = [1]",
    "compatibility = 'prod.**'",
    "storage = [{ prefix = 'gs://x' }]",
    "warehouse = 1",
    "report = ['jsn']",
    "clients = ['trinoo>=470']",
    "client_features = { trino.clustering = '482' }",
]
"""Lines of the section."""


TEXTS = ("models = 'shop'", "unity_uri", "warehouse")
"""Settings that take any text from the command line, and one whose text is answered with a list."""


WRONG_TEXTS = [
    "models",
    "memory",
    "",
    "=memory",
    "https://user:hunter2@host",
    "on-failure=restore",
    "delta_backend=memory",
    "drift=true",
    "on_failure=panic",
    "preflight_samples=many",
    "owned_properties=True",
    "unity_timeout=soon",
    "models=1\nbackend='memory'",
    "bind={dev.silver=ci.x}",
    "allow=drop-column dev.a.b.c",
]


def test_a_list_that_a_shell_has_left_without_quotes_is_answered_with_what_to_paste():
    texts = [
        ("protected=prod.*", ("prod.*",)),
        ("protected=[prod.*]", ("prod.*",)),
        ("protected=[prod.*, dev.old.*]", ("prod.*", "dev.old.*")),
        ("clients=trino>=470", ("trino>=470",)),
    ]
    for text, values in texts:
        name = text.partition("=")[0]

        (fault,) = read({"set": [text]}).faults

        begin, _, command = fault.partition("; write ")
        option, argument = shlex.split(command)
        assert (begin, option) == (f"--delta-set: {name} is not a list", "--delta-set")
        assert read({"set": [argument]}).values[name] == values


WRONG_OPTIONS = [
    {"max_risk": "low"},
    {"adopt": "\0"},
    {"adopt": ""},
    {"backend": ""},
    {"warehouse": ""},
    {"against": [""]},
    {"bind": [""]},
    {"allow": [""]},
    {"report": [""]},
    {"adopt": "models.py"},
    {"allow": ["x"]},
    {"allow": ["drop-column x"]},
    {"bind": ["dev"]},
    {"report": ["json:"]},
]


def only_fault(command_line=None, section=None):
    """Return the fault of a wrong source, after which every setting has its default."""
    sources = read(command_line, section)
    (fault,) = sources.faults
    assert sources.project == {}
    assert sources.values == from_sources().values
    return fault


def test_what_is_wrong_is_a_fault_and_gives_no_value(snapshot):
    of_section = [only_fault(section=line) for line in WRONG]
    of_run = [
        only_fault({"set": ["{}={}".format(*line.split(" = ", 1))]}) for line in WRONG if not line.startswith(TEXTS)
    ]
    others = [only_fault({"set": [text]}) for text in WRONG_TEXTS] + [only_fault(options) for options in WRONG_OPTIONS]

    assert "\n".join([*of_section, "", *of_run, "", *others, ""]) == snapshot(extension_class=TextSnapshot)
    assert only_fault({"set": ["bind=" + "{a=" * 3000]}).startswith("--delta-set: bind is '{a={a=")


def test_all_faults_of_all_sources_are_named_at_once():
    project = ProjectFile(
        PROJECT / "pyproject.toml", {"bakend": 1, "allow": [1, 2]}, "pyproject.toml", ("of the file",)
    )

    faults = from_sources({"allow": ["x", "y"], "max_risk": "low", "set": ["a=1", "models"]}, project).faults

    assert [fault.partition(";")[0] for fault in faults] == [
        "of the file",
        f"{BEFORE}there is no setting bakend",
        f"{BEFORE}allow entry 1 is 1",
        f"{BEFORE}allow entry 2 is 2",
        "--delta-set: there is no setting a",
        "--delta-set models has no value",
        "consent 'x' names no known action",
        "consent 'y' names no known action",
        "--delta-max-risk is 'low'",
    ]

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
    'unity_uri = "https://unity.example.com"': Uri("https://unity.example.com"),
    'unity_uri = ""': None,
    'unity_token_variable = "LAKE_TOKEN"': "LAKE_TOKEN",
    "unity_timeout = 7": 7.0,
    'sync = ["on-read", "recreate"]': ("on-read", "recreate"),
    'databricks_warehouse = "abc"': "abc",
    "databricks_start_timeout = 900.5": 900.5,
    'storage = [{ prefix = "s3://lake", path_style = true }]': ({"prefix": "s3://lake", "path_style": True},),
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
        ("databricks_warehouse=123", "databricks_warehouse", "123"),
        ("databricks_warehouse=2999-01-01", "databricks_warehouse", "2999-01-01"),
        ("databricks_warehouse=", "databricks_warehouse", ""),
        ("scratch_catalog=true", "scratch_catalog", "true"),
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
        pytest.param({"set": ["backend=session", "backend=local"]}, "", {"backend": "local"}, id="twice"),
        pytest.param({"backend": None}, 'backend = "unity"', {"backend": "unity"}, id="no option"),
        pytest.param(
            {"set": ['protected=["c.*"]']}, 'protected = ["b.*"]', {"protected": ("c.*",)}, id="a list of one run"
        ),
        pytest.param(
            {"set": ["protected=[]"]}, 'protected = ["b.*"]', {"protected": ()}, id="an empty list of one run"
        ),
        pytest.param({"set": ["release_tags=['r*']"]}, "", {"release_tags": ("r*",)}, id="not added to a default"),
        pytest.param(
            {"report": ["json"]},
            'report = ["gitlab"]',
            {"report": (ReportTarget("gitlab", "", "/project"), ReportTarget("json", "", "/here"))},
            id="options after the section",
        ),
        pytest.param(
            {"report": ["json"], "set": ["report=['azure']"]},
            'report = ["gitlab"]',
            {"report": (ReportTarget("azure", "", "/here"), ReportTarget("json", "", "/here"))},
            id="options after settings of one run",
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
        pytest.param({"drift": True, "apply": False}, "", {"drift": True, "apply": False}, id="flags"),
        pytest.param({"against": ["main"], "witness": "w"}, "", {"against": ("main",), "witness": "w"}, id="modes"),
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

WRONG = {
    "bakend = 'memory'": "there is no setting bakend; did you mean backend?",
    "drift = true": "there is no setting drift; settings are models, backend, warehouse, *",
    "read-only = 1": "there is no setting read-only; settings are models, *",
    "preflight = 'all'": "preflight is 'all'; choose count, limit or off",
    "preflight = ['count']": "preflight is ['count']; choose count, limit or off",
    "preflight_samples = -1": "preflight_samples is -1; write a whole number, 0 or more",
    "preflight_samples = true": "preflight_samples is True; write a whole number, 0 or more",
    "preflight_samples = 1.0": "preflight_samples is 1.0; write a whole number, 0 or more",
    "max_risk = 'high'": "max_risk is 'high'; choose metadata, feature, scan, rewrite or destructive",
    "models = 'shop'": "models is 'shop'; write a list: ['shop']",
    "models = ['shop', 1]": "models is 1; write a list of texts",
    "owned_properties = 'yes'": "owned_properties is 'yes'; write true or false",
    "unity_timeout = 0": "unity_timeout is 0; write a number of seconds above 0",
    "unity_timeout = inf": "unity_timeout is inf; write a number of seconds above 0",
    "unity_timeout = '30'": "unity_timeout is '30'; write a number of seconds above 0",
    "unity_uri = ['https://user:hunter2@a']": (
        "unity_uri is ['https://***@a']; write a text, such as 'https://unity.example.com'"
    ),
    "unity_uri = 0": "unity_uri is 0; write a text, such as 'https://unity.example.com'",
    "bind = { dev = ['ci'] }": "bind: dev is ['ci']; write a text, a number, true or false",
    "backend = 1": "backend is 1; write a text",
    "enable_features = ['deletionVectors']": (
        "enable_features: there is no deletionVectors; choose among typeWidening, columnMapping"
    ),
    "sync = ['always']": "sync: there is no always; choose among on-read, recreate",
    "rules = ['NoFloats']": "rules: 'NoFloats' names no rule; write 'module:Name', as in 'shop.rules:NoFloats'",
    "bind = { dev.silver = 'ci.x' }": (
        'bind: dev is a table; put names with dots in quotes: a table such as { "dev.silver" = "ci.pr_42_silver" }'
    ),
    "bind = ['dev=ci']": 'bind is [\'dev=ci\']; write a table such as { "dev.silver" = "ci.pr_42_silver" }',
    "default_properties = { a = ['b'] }": "default_properties: a is ['b']; write a text, a number, true or false",
    "properties = { a = 'own' }": "properties: a is 'own'; choose manage, report, ignore, require or forbid",
    "allow = [1]": "allow entry 1 is 1; write [[tool.pytest_delta_schema.allow]] and its keys below",
    "allow = 'x'": "allow is 'x'; write [[tool.pytest_delta_schema.allow]] and its keys below",
    "compatibility = 'prod.**'": (
        "compatibility is 'prod.**'; write [[tool.pytest_delta_schema.compatibility]] and its keys below"
    ),
    "storage = [{ prefix = 'gs://x' }]": (
        "storage entry 1: prefix is 'gs://x'; write a location of S3: 's3://bucket/folder'"
    ),
    "warehouse = 1": "warehouse is 1; write the path of a folder",
    "report = ['jsn']": "report: there is not a report of type 'jsn'; did you mean json? The types are json, *",
    "clients = ['trinoo>=470']": (
        "clients: 'trinoo>=470': there is no client trinoo; did you mean trino, as in 'trino>=470'?"
    ),
    "clients = ['trino']": (
        "clients: 'trino' does not say the oldest version of trino that is in use; write it as in 'trino>=470'"
    ),
    "client_features = { trino.clustering = '482' }": (
        'client_features: trino is a table; put names with dots in quotes: a table such as { "trino.clustering" = "482" }'
    ),
}
"""A line of the section, and what is wrong with it."""


def is_as_expected(fault, expected):
    return fault.startswith(expected[:-1]) if expected.endswith("*") else fault == expected


def require_fault(expected, command_line=None, section=None):
    """Require one fault, after which every setting has its default; a text that ends with ``*`` is the beginning of it."""
    sources = read(command_line, section)
    (fault,) = sources.faults
    assert is_as_expected(fault, expected), (fault, expected)
    assert sources.project == {}
    assert sources.values == from_sources().values


def test_what_is_wrong_in_the_section_is_a_fault_and_gives_no_value():
    for line, expected in WRONG.items():
        require_fault(BEFORE + expected, section=line)


TEXTS = ("preflight = ['count']", "models = 'shop'", "unity_uri", "backend", "warehouse")
"""Settings that take any text from the command line, and one whose text is answered with a list."""


def test_what_is_wrong_for_one_run_is_the_same_fault():
    for line, expected in WRONG.items():
        if not line.startswith(TEXTS):
            name, _, value = line.partition(" = ")
            require_fault(f"--delta-set: {expected}", {"set": [f"{name}={value}"]})


WRONG_TEXTS = [
    ("models", "--delta-set models has no value; write --delta-set models=VALUE"),
    ("memory", "--delta-set 'memory' names no setting; write --delta-set NAME=VALUE"),
    ("", "--delta-set '' names no setting; write --delta-set NAME=VALUE"),
    ("=memory", "--delta-set '=memory' names no setting; write --delta-set NAME=VALUE"),
    ("bind=" + "{a=" * 3000, "--delta-set: bind is '{a={a=*"),
    (
        "https://user:hunter2@host",
        "--delta-set 'https://***@host' names no setting; write --delta-set NAME=VALUE",
    ),
    ("on-failure=restore", "--delta-set: there is no setting on-failure; did you mean on_failure?"),
    ("delta_backend=memory", "--delta-set: there is no setting delta_backend; did you mean backend?"),
    ("drift=true", "--delta-set: there is no setting drift; settings are models, backend, *"),
    ("on_failure=panic", "--delta-set: on_failure is 'panic'; choose leave or restore"),
    ("preflight_samples=many", "--delta-set: preflight_samples is 'many'; write a whole number, 0 or more"),
    ("owned_properties=True", "--delta-set: owned_properties is 'True'; write true or false"),
    ("unity_timeout=soon", "--delta-set: unity_timeout is 'soon'; write a number of seconds above 0"),
    (
        "models=1\nbackend='memory'",
        "--delta-set: models is not a list; write --delta-set 'models=[\"1\\nbackend='\"'\"'memory\"]'",
    ),
    (
        "bind={dev.silver=ci.x}",
        '--delta-set: bind is \'{dev.silver=ci.x}\'; write a table such as { "dev.silver" = "ci.pr_42_silver" }',
    ),
    (
        "allow=drop-column dev.a.b.c",
        "--delta-set: allow is 'drop-column dev.a.b.c'; write [[tool.pytest_delta_schema.allow]] and its keys below",
    ),
]


def test_a_setting_of_one_run_that_cannot_be_used():
    for text, fault in WRONG_TEXTS:
        require_fault(fault, {"set": [text]})


def test_a_list_that_a_shell_has_left_without_quotes_is_answered_with_what_to_paste():
    texts = [
        ("protected=prod.*", ("prod.*",)),
        ('protected="prod.*"', ("prod.*",)),
        ("protected=[prod.*]", ("prod.*",)),
        ("protected=[prod.*, dev.old.*]", ("prod.*", "dev.old.*")),
        ("clients=trino>=470", ("trino>=470",)),
        ("rules=[shop.rules:NoFloats", ("shop.rules:NoFloats",)),
    ]
    for text, values in texts:
        name = text.partition("=")[0]

        (fault,) = read({"set": [text]}).faults

        begin, _, command = fault.partition("; write ")
        option, argument = shlex.split(command)
        assert (begin, option) == (f"--delta-set: {name} is not a list", "--delta-set")
        assert read({"set": [argument]}).values[name] == values


WRONG_OPTIONS = [
    ({"max_risk": "low"}, "--delta-max-risk is 'low'; choose metadata, feature, scan, rewrite or destructive"),
    ({"preflight": "\0"}, "--delta-preflight needs a value; write --delta-preflight=count or *"),
    ({"adopt": "\0"}, "--delta-adopt needs a value; write --delta-adopt=diff or --delta-adopt=write"),
    ({"adopt": ""}, "--delta-adopt needs a value; write --delta-adopt=diff or --delta-adopt=write"),
    ({"max_risk": ""}, "--delta-max-risk needs a value; write --delta-max-risk=metadata or *"),
    ({"backend": ""}, "--delta-backend needs a value; write --delta-backend=NAME"),
    ({"warehouse": ""}, "--delta-warehouse needs a value; write --delta-warehouse=FOLDER"),
    ({"witness": ""}, "--delta-witness needs a value; write --delta-witness=FOLDER"),
    ({"against": [""]}, "--delta-against needs a value; write --delta-against=REF"),
    ({"against": ["main", ""]}, "--delta-against needs a value; write --delta-against=REF"),
    ({"bind": [""]}, "--delta-bind needs a value; write --delta-bind=NAME=NAME"),
    ({"allow": [""]}, "--delta-allow needs a value; write --delta-allow=CONSENT"),
    ({"report": [""]}, "--delta-report needs a value; write --delta-report=TYPE[:FILE]"),
    ({"import": [""]}, "--delta-import needs a value; write --delta-import=NAME[=PATH]"),
    ({"adopt": "models.py"}, "--delta-adopt is 'models.py'; choose diff or write"),
    (
        {"allow": ["x"]},
        "consent 'x' names no known action; write 'drop-column', 'rewrite' or 'break' and then a path",
    ),
    (
        {"allow": ["drop-column x"]},
        "consent 'drop-column x' names no column; write 'drop-column catalog.schema.table.column'",
    ),
    ({"bind": ["dev"]}, "binding 'dev'*"),
    ({"report": ["json:"]}, "--delta-report: 'json:' names no file; write json, json:FILE or json:off"),
]


def test_options_that_cannot_be_used():
    for options, fault in WRONG_OPTIONS:
        require_fault(fault, options)


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

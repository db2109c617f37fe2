"""Settings in ``pyproject.toml``, in the ini file and on the command line: what a user types, and what the run does."""

from __future__ import annotations

import json

import pytest

from support.plugin_project import HEAD, ORDERS, reads_tool_pytest

SHOW = """
from pytest_delta_schema.plugin.run import contract_run

def test_it(pytestconfig):
    options = contract_run(pytestconfig).options
    print("OPTIONS", options)
"""


RULES = """
from pytest_delta_schema import Diagnostic, Table

class NoDecimals:
    code = "SHOP1"
    def check(self, table: Table):
        yield Diagnostic(
            rule="NoDecimals", code="SHOP1", table=table.qualified_name, path="amount", message="is a decimal",
            remedy="store cents",
        )
"""


@pytest.fixture
def toml(project):
    """Write the section of the project's ``pyproject.toml``."""

    def write(*lines, folder="."):
        path = project.path / folder / "pyproject.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["[tool.pytest_delta_schema]", *lines, ""]), "utf-8")

    return write


@pytest.fixture
def options(project):
    """Run pytest, and return what it has read, as the text of its options."""
    project.pytester.makepyfile(test_show=SHOW)

    def show(*args):
        result = project.run("-s", "-k", "test_it", *args)
        assert result.parseoutcomes().get("passed") == 1, result.stderr.str()
        return next(line.partition("OPTIONS ")[2] for line in result.outlines if "OPTIONS " in line)

    return show


def test_the_section_takes_every_setting_in_the_types_of_toml(project, toml, options):
    project.ini("")
    project.models(ORDERS)
    project.pytester.makepyfile(rules=RULES)
    toml(
        'models = ["models"]',
        'backend = "memory"',
        'warehouse = "lake/{worker}"',
        'max_risk = "scan"',
        'protected = ["prod.*"]',
        'preflight = "limit"',
        "preflight_samples = 3",
        'on_failure = "restore"',
        'enable_features = ["typeWidening"]',
        'rules = ["rules:NoDecimals"]',
        "owned_properties = true",
        'clients = ["trino>=470 (read)", "athena"]',
        'client_features = { "trino.clustering" = 482 }',
        'unmanaged = "fail"',
        'unmanaged_ignore = ["*.tmp_*"]',
        "read_threads = 4",
        'unity_uri = "https://unity.example.com"',
        'unity_token_variable = "LAKE_TOKEN"',
        "unity_timeout = 7",
        "sync_on_read = true",
        "sync_recreate = true",
        'databricks_warehouse = "abc"',
        "databricks_start_timeout = 900",
        "jvm_archive = false",
        'bind = { "dev.silver" = "ci.x" }',
        'default_properties = { "team" = "sales", "delta.appendOnly" = true }',
        'release_tags = ["release/*", "v[0-9]*"]',
        "[[tool.pytest_delta_schema.compatibility]]",
        'path = "prod.gold.**"',
        'roles = ["readers", "change-feed"]',
        'fail_on = "dangerous"',
        "min_notice = 90",
    )

    text = options("-o", "addopts=--delta-apply")

    for part in (
        "mode='apply'",
        f"project_file=PosixPath('{project.path}/pyproject.toml')",
        f"models={{PosixPath('{project.path}/models.py'): 'models'}}",
        "backend='memory'",
        f"warehouse='{project.path}/lake/{{worker}}'",
        "max_risk='scan'",
        "protected=('prod.*',)",
        "preflight='limit', preflight_samples=3",
        "on_failure='restore'",
        "enable_features=('typeWidening',)",
        "rules=('rules:NoDecimals',)",
        "owned_properties=True, clients=('trino>=470 (read)', 'athena'), client_features=(('trino.clustering', '482'),)",
        "unmanaged_ignore=('*.tmp_*',)",
        "read_threads=4",
        (
            "unity=Unity(uri='https://unity.example.com', token_variable='LAKE_TOKEN', timeout=7.0, sync_on_read=True,"
            " sync_recreate=True)"
        ),
        "databricks_warehouse='abc', databricks_start_timeout=900.0",
        "jvm_archive=False",
        "bindings=((('dev', 'silver'), ('ci', 'x')),)",
        "default_properties=(('team', 'sales'), ('delta.appendOnly', 'true'))",
        "release_tags=('release/*', 'v[0-9]*')",
        (
            "compatibility=(CompatibilityEntry(path='prod.gold.**', policy=CompatibilityPolicy(roles=('readers',"
            " 'change-feed'), fail_on='dangerous', min_notice=90)),)"
        ),
    ):
        assert part in text
    assert "unmanaged='fail'" in options("-o", "addopts=--delta-drift")


def test_a_gate_that_only_the_section_configures(project, toml):
    project.ini("")
    project.models(ORDERS)
    toml('models = ["models"]', 'backend = "memory"')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["delta schema: configured by pyproject.toml", "delta schema: drift on memory", "drift: 1 drifted, *"],
    )


def test_rules_are_named_in_the_section(project, toml):
    project.models(ORDERS)
    project.pytester.makepyfile(rules=RULES)
    toml('rules = ["rules:NoDecimals"]')

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*dev.silver.orders: is a decimal; store cents [[]SHOP1 NoDecimals]*"])


def test_rules_that_cannot_be_loaded_are_a_usage_error(project, toml):
    project.models(ORDERS)
    project.pytester.makepyfile(rules=RULES)
    toml('rules = ["rules:NoDecimal", "no.such:Rule"]')

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().splitlines() == [
        ("ERROR: rule 'rules:NoDecimal' cannot be loaded, AttributeError: module 'rules' has no attribute 'NoDecimal'"),
        "rule 'no.such:Rule' cannot be loaded, ModuleNotFoundError: No module named 'no'",
    ]


def test_the_section_is_read_where_pytest_itself_has_none(project, toml):
    (project.path / "tox.ini").unlink()
    project.pytester.makeconftest("import sys, pathlib; sys.path.insert(0, str(pathlib.Path(__file__).parent))")
    project.models(ORDERS)
    toml('backend = "memory"')

    result = project.run("--delta-drift", "--collect-only", "models.py")

    result.stdout.fnmatch_lines(["delta schema: configured by pyproject.toml", "delta schema: drift on memory"])


@pytest.mark.parametrize("mode", ["ini_options", pytest.param("native", marks=reads_tool_pytest)])
def test_sections_for_pytest_and_for_the_package_share_a_file(project, mode):
    (project.path / "tox.ini").unlink()
    head = "[tool.pytest]" if mode == "native" else "[tool.pytest.ini_options]"
    (project.path / "pyproject.toml").write_text(
        f'{head}\npythonpath = ["."]\ndelta_models = ["models"]\n[tool.pytest_delta_schema]\nbackend = "memory"\n',
    )
    project.models(ORDERS)

    project.run("--delta-drift", "-m", "delta_drift").stdout.fnmatch_lines(["drift: 1 drifted, *"])


def test_lists_and_tables_of_all_sources_add_up(project, toml, options):
    project.ini(
        "delta_models = models",
        "delta_protected = a.*",
        "delta_bind = dev.silver=ini.s",
        "delta_default_properties =",
        "  a=1",
        "  b=2",
        "delta_allow = rewrite dev.silver.orders",
    )
    project.models(ORDERS)
    project.models("other = table('dev.gold.other', Column('id', LongType()))", "more")
    toml(
        'models = ["more"]',
        'protected = ["b.*"]',
        'bind = { "dev.gold" = "toml.g" }',
        'default_properties = { b = "2", c = "3" }',
        "[[tool.pytest_delta_schema.allow]]",
        'action = "rewrite"',
        'path = "dev.gold.other"',
        'reason = "partitions"',
        "expires = 2999-01-01",
    )

    text = options(
        "-o",
        "addopts=--delta-apply",
        "--delta-bind=dev=cli",
        "--delta-allow=drop-column dev.silver.orders.x",
    )

    assert "/models.py'): 'models', " in text
    assert "/more.py'): 'more'}" in text
    assert "protected=('a.*', 'b.*')" in text
    assert "default_properties=(('a', '1'), ('b', '2'), ('c', '3'))" in text
    bindings = "(('dev', 'silver'), ('ini', 's')), (('dev', 'gold'), ('toml', 'g')), (('dev',), ('cli',))"
    assert f"bindings=({bindings})" in text
    consents = text.partition("consents=(")[2].partition(" project_consents=")[0]
    assert [part in consents for part in ("'dev.silver.orders.x'", "'dev.silver.orders'", "'dev.gold.other'")] == [
        True,
    ] * 3


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((), "'ini'"),
        (("-o", "delta_databricks_warehouse=override"), "'override'"),
        (("-o", "delta_databricks_warehouse="), "''"),
    ],
)
def test_a_value_of_the_command_line_wins(project, toml, options, args, expected):
    project.ini("delta_databricks_warehouse = ini")
    toml('databricks_warehouse = "ini"')

    assert f"databricks_warehouse={expected}" in options(*args)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--delta-backend=memory",), "memory"),
        (("-o", "delta_backend=session"), "session"),
        (("-o", "delta_backend=session", "--delta-backend=memory"), "memory"),
    ],
)
def test_the_command_line_settles_what_the_files_give_twice(project, toml, options, args, expected):
    project.ini("delta_backend = unity")
    toml('backend = "local"')

    assert f"backend='{expected}'" in options(*args)


def test_a_list_given_with_override_ini_replaces_those_of_the_files(project, toml, options):
    project.ini("delta_protected = a.*")
    toml('protected = ["b.*"]')

    assert "protected=('c.*',)" in options("-o", "addopts=--delta-apply", "-o", "delta_protected=c.*")
    assert "protected=()" in options("-o", "addopts=--delta-apply", "-o", "delta_protected=")


def test_override_ini_reaches_the_workers(project, toml):
    project.ini("delta_models = models", "delta_backend = unity")
    toml('backend = "local"')
    project.models(ORDERS)

    result = project.run("--delta-drift", "-m", "delta_drift", "-o", "delta_backend=memory", "-n1")

    result.stdout.fnmatch_lines(["delta schema: drift on memory", "drift: 1 drifted, *"])


def test_two_values_are_a_usage_error(project, toml):
    project.ini(
        "delta_backend = memory",
        "delta_read_threads = 8",
        "delta_warehouse = one",
        "delta_unity_uri = https://user:hunter2@a",
        "delta_bind = dev.silver=ini.s",
        "delta_default_properties = team=sales",
    )
    toml(
        'backend = "local"',
        "read_threads = 8",
        'warehouse = "./one"',
        'unity_uri = "https://user:hunter3@a"',
        'bind = { "DEV.silver" = "toml.s" }',
        'default_properties = { team = "lake" }',
    )

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    where = "in pyproject.toml ([tool.pytest_delta_schema]); keep one of them"
    assert result.stderr.str().strip().splitlines() == [
        f"ERROR: backend is given twice: 'memory' in tox.ini (delta_backend), 'local' {where}",
        f"bind of dev.silver is given twice: 'ini.s' in tox.ini (delta_bind), 'toml.s' {where}",
        f"default_properties of team is given twice: 'sales' in tox.ini (delta_default_properties), 'lake' {where}",
        f"unity_uri is given twice: one value in tox.ini (delta_unity_uri), another {where}",
    ]


def test_all_faults_are_shown_at_once(project, toml):
    project.ini(
        "delta_models = no.such",
        "delta_modles = models",
        "delta_preflight = all",
        "delta_read_threads = many",
        "delta_default_properties = team",
        "delta_backend = oracle",
    )
    toml(
        'bakend = "memory"',
        "colour = 1",
        "preflight_samples = -1",
        "max_risk = 'high'",
        "protected = 'prod.*'",
        "sync_on_read = 'yes'",
        "unity_timeout = 0",
        "unity_uri = ['https://user:hunter2@a']",
        "enable_features = ['deletionVectors']",
        "rules = ['NoFloats']",
        "bind = { dev.silver = 'ci.x' }",
        "default_properties = { a = ['b'] }",
        "properties = { a = 'own' }",
        "allow = [1]",
        "storage = [{ prefix = 'gs://x' }]",
        "warehouse = 1",
        "clients = ['trinoo>=470', 'trino']",
        "client_features = { trino.clustering = '482' }",
    )

    result = project.run("--delta-drift", "--delta-apply", "--delta-max-risk=low", "--delta-allow=x")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    lines = result.stderr.str().strip().removeprefix("ERROR: ").splitlines()
    section = [line.removeprefix("pyproject.toml: [tool.pytest_delta_schema]: ") for line in lines[:19]]
    assert section == [
        "there is no setting bakend; did you mean backend?",
        section[1],
        "preflight_samples is -1; write a whole number, 0 or more",
        "max_risk is 'high'; choose metadata, feature, scan, rewrite or destructive",
        "protected is 'prod.*'; write a list: ['prod.*']",
        "sync_on_read is 'yes'; write true or false",
        "unity_timeout is 0; write a number of seconds above 0",
        "unity_uri must be a string, such as 'https://unity.example.com'",
        "enable_features: there is no deletionVectors; choose among typeWidening, columnMapping",
        "rules: 'NoFloats' names no rule; write 'module:Name', as in 'shop.rules:NoFloats'",
        'bind: dev is a table; put names with dots in quotes: a table such as { "dev.silver" = "ci.pr_42_silver" }',
        "default_properties: a is ['b']; write a text, a number, true or false",
        section[12],
        "allow entry 1 is 1; write [[tool.pytest_delta_schema.allow]] and its keys below",
        "storage entry 1 has no prefix of S3; write the location: prefix = 's3://bucket/folder'",
        "warehouse is 1; write the path of a folder",
        "clients: 'trinoo>=470': there is no client trinoo; did you mean trino, as in 'trino>=470'?",
        ("clients: 'trino' does not say the oldest version of trino that is in use; write it as in 'trino>=470'"),
        'client_features: trino is a table; put names with dots in quotes: a table such as { "trino.clustering" = "482" }',
    ]
    assert section[1].startswith(
        "there is no setting colour; settings are models, backend, warehouse, scratch_catalog, ",
    )
    assert section[12].startswith("properties: a is 'own'; choose ")
    assert lines[19:] == [
        "tox.ini: there is no ini key delta_modles; did you mean delta_models?",
        "consent 'x' names no known action; write 'drop-column', 'rewrite' or 'break' and then a path",
        "--delta-max-risk is 'low'; choose metadata, feature, scan, rewrite or destructive",
        "delta_preflight is 'all'; choose count, limit or off",
        "delta_default_properties: 'team' is not of the form key=value",
        "delta_read_threads is 'many'; write a whole number, 1 or more",
        (
            "--delta-drift only compares, --delta-apply changes the catalog, --delta-sync-metadata only its entries; give"
            " one of them, or --delta-drift --delta-sync-metadata to synchronise the entries of what is read first"
        ),
        "there is no delta backend 'oracle'; choose one of local, memory, session, unity, databricks",
        (
            "models: there is no module no.such; name it as in an import statement, and see that the ini key"
            " pythonpath has its folder"
        ),
    ]


@reads_tool_pytest
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("delta_jvm_archive = 'maybe'", "delta_jvm_archive cannot be used: *bool*'maybe'*"),
        ("delta_models = 'models'", "delta_models cannot be used: *list*'models'*"),
        ("delta_read_threads = true", "delta_read_threads cannot be used: *bool*True*"),
    ],
)
def test_an_ini_key_of_another_type_is_a_usage_error(project, line, message):
    (project.path / "tox.ini").unlink()
    (project.path / "pyproject.toml").write_text(f"[tool.pytest]\n{line}\ndelta_backend = 'oracle'\n")

    result = project.run("--delta-drift")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {message}", "there is no delta backend 'oracle'*"])


@reads_tool_pytest
@pytest.mark.parametrize("values", [("8", "0.5"), ('"8"', '"0.5"'), ("8", "1")])
def test_numbers_of_ini_keys_are_numbers_or_texts_in_toml(project, values):
    (project.path / "tox.ini").unlink()
    threads, timeout = values
    (project.path / "pyproject.toml").write_text(
        f"[tool.pytest]\ndelta_read_threads = {threads}\ndelta_unity_timeout = {timeout}\n",
    )
    project.pytester.makeconftest(
        "def pytest_collection_finish(session):\n"
        "    from pytest_delta_schema.plugin.run import contract_run\n"
        "    options = contract_run(session.config).options\n"
        "    print(f'threads {options.read_threads!r}, timeout {options.unity.timeout!r}')\n",
    )
    project.pytester.makepyfile("def test_it(): pass")

    result = project.run()

    result.stdout.fnmatch_lines([f"*threads 8, timeout {float(timeout.strip(chr(34)))!r}"])
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "pyproject.toml",
            "[tool.pytest]\ndelta_models = ['models']\ndelta_backend = 'memory'\n",
            (
                "pyproject.toml: pytest 8.4.2 does not read [tool.pytest], where delta_models, delta_backend is set; move"
                " it to [tool.pytest.ini_options] of pyproject.toml, or install pytest 9"
            ),
        ),
        (
            "pytest.toml",
            "[pytest]\ndelta_models = ['models']\n",
            (
                "pytest.toml: pytest 8.4.2 does not read [pytest], where delta_models is set; move it to"
                " [tool.pytest.ini_options] of pyproject.toml, or install pytest 9"
            ),
        ),
    ],
    ids=["pyproject.toml", "pytest.toml"],
)
def test_keys_that_only_pytest_9_reads_are_named_by_an_older_one(project, monkeypatch, name, text, message):
    monkeypatch.setattr(pytest, "version_tuple", (8, 4, 2))
    (project.path / "tox.ini").unlink()
    (project.path / name).write_text(text)

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {message}" in result.errlines


def test_keys_that_pytest_8_reads_are_no_fault(project, monkeypatch):
    monkeypatch.setattr(pytest, "version_tuple", (8, 4, 2))
    (project.path / "tox.ini").unlink()
    project.models(ORDERS)
    (project.path / "pytest.toml").write_text("[pytest # delta_\n")
    (project.path / "pyproject.toml").write_text("[tool.pytest.ini_options]\ndelta_models = ['models']\n")

    result = project.run("-c", "pyproject.toml", "--collect-only")

    assert "delta_" not in result.stderr.str()


def test_an_unknown_ini_key_of_the_command_line_is_named(project):
    project.ini("")

    result = project.run("-o", "delta_bakend=memory", "-o", "delta_storage=x", "-o", "delta_zzz=x")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().splitlines() == [
        "ERROR: -o: there is no ini key delta_bakend; did you mean delta_backend?",
        "-o: there is no ini key delta_storage; set storage in [tool.pytest_delta_schema] of pyproject.toml",
        "-o: there is no ini key delta_zzz; pytest --help lists the keys",
    ]


def test_what_a_run_does_is_chosen_on_the_command_line_only(project, toml):
    project.ini("")
    toml("drift = true")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: pyproject.toml: *: there is no setting drift; settings are models, *"])


def test_an_ini_key_that_another_plugin_declares_is_its_own(project):
    project.ini("delta_backends = x")
    project.pytester.makeconftest("def pytest_addoption(parser): parser.addini('delta_backends', 'mine')")
    project.pytester.makepyfile("def test_it(): pass")

    assert project.run().ret == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[tool.pytest_delta_schema\n", "ERROR: {folder}/pyproject.toml: cannot be read: *"),
        (b"# pytest_delta_schema \xff\n", "ERROR: {folder}/pyproject.toml: cannot be read: *"),
        (
            b"[tool]\npytest_delta_schema = 1\n",
            "ERROR: {folder}/pyproject.toml: pytest_delta_schema is not a table; write *",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_a_usage_error(project, content, message):
    (project.path / "pyproject.toml").write_bytes(content)
    ini = project.path / "ci" / "pytest.ini"
    ini.parent.mkdir()
    ini.write_text("[pytest]\n")

    # Where pytest itself would read the file, it stops the run with its own message.
    result = project.run("-c", str(ini))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message.format(folder=project.path)])


@pytest.mark.parametrize("args", [[], ["--delta-drift"], ["--delta-apply"]], ids=["no mode", "drift", "apply"])
@pytest.mark.parametrize(
    ("file", "section", "remedy"),
    [
        ("pyproject.toml", "tool.pytest-delta-schema", "write [[]tool.pytest_delta_schema]"),
        ("pyproject.toml", "pytest_delta_schema", "write [[]tool.pytest_delta_schema]"),
        ("setup.cfg", "pytest_delta_schema", "move it to [[]tool.pytest_delta_schema] of pyproject.toml"),
        ("ci/pytest.ini", "pytest_delta_schema", "move it to [[]tool.pytest_delta_schema] of pyproject.toml"),
    ],
)
def test_a_misspelt_section_is_a_usage_error(project, file, section, remedy, args):
    ini = project.path / "ci" / "pytest.ini"
    ini.parent.mkdir()
    ini.write_text("[pytest]\n")
    path = project.path / file
    with path.open("a") as stream:
        stream.write(f'[{section}]\nmax_risk = "scan"\n')
    project.pytester.makepyfile("def test_it(): pass")

    # pytest's own file is in another folder than the pyproject.toml.
    result = project.run("-c", str(ini), "--rootdir", str(project.path), *args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {file}: [[]{section}] is not read; {remedy}"])


def test_a_misspelt_section_below_a_folder_is_found_where_pytest_starts_in_it(project, monkeypatch):
    (project.path / "tox.ini").unlink()
    (project.path / "pyproject.toml").write_text('[tool.pytest-delta-schema]\nprotected = ["dev.*"]\n')
    (project.path / "tests").mkdir()
    (project.path / "tests" / "test_it.py").write_text("def test_it(): pass\n")
    monkeypatch.chdir(project.path / "tests")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *pyproject.toml: [[]tool.pytest-delta-schema] is not read; write *"])


def test_the_nearest_file_above_the_ini_file_is_read(project, toml):
    toml('backend = "memory"', 'warehouse = "lake"')
    (project.path / "tox.ini").unlink()
    tests = project.path / "tests"
    tests.mkdir()
    (tests / "pytest.ini").write_text("[pytest]\n")
    (tests / "test_show.py").write_text(SHOW)

    result = project.run("-s", "tests")

    result.stdout.fnmatch_lines(
        [
            f"delta schema: configured by {project.path}/pyproject.toml",
            f"*backend='memory', * warehouse='{project.path}/lake'*",
        ],
    )


SECTION = "[tool.pytest_delta_schema]\n"


@pytest.mark.parametrize(
    ("files", "args", "line"),
    [
        (
            {"b": "[tool.pytest_delta_schema]\n", "a x": "# a\n[tool.pytest_delta_schema]\nmodels = ['m']\n", "c/d": SECTION},
            [],
            "delta schema: 3 projects have contracts that this run does not check: a x, b, c/d; *: cd 'a x' && pytest",
        ),
        ({"a": SECTION, "b": "[tool.other]\n"}, [], "delta schema: 1 project has contracts that * check: a; *: cd a && pytest"),
        ({"a": SECTION, "b": SECTION}, ["b"], "delta schema: 1 project has contracts that * check: b; *: cd b && pytest"),
        ({".": SECTION}, [], None),
        ({"a": "[tool.pytest.ini_options]\n# [tool.pytest_delta_schema]\n"}, [], None),
        ({"build": SECTION}, [], None),
    ],
)  # fmt: skip
def test_the_root_of_a_monorepo_names_the_projects_that_it_does_not_check(project, files, args, line):
    (project.path / "tox.ini").write_text("[pytest]\n", "utf-8")
    for folder, text in files.items():
        (project.path / folder).mkdir(parents=True, exist_ok=True)
        (project.path / folder / "pyproject.toml").write_text(text, "utf-8")
    (project.path / "test_a.py").write_text("def test_a(): pass\n", "utf-8")

    result = project.run(*args)

    if line is None:
        result.stdout.no_fnmatch_line("*that this run does not check*")
    else:
        result.stdout.fnmatch_lines([line])


def test_each_project_of_a_monorepo_has_its_own_section(project, toml, monkeypatch):
    (project.path / "tox.ini").unlink()
    toml('backend = "unity"')
    for name, text in (("a", '\n[tool.pytest_delta_schema]\nbackend = "memory"\n'), ("b", "")):
        folder = project.path / name
        folder.mkdir()
        (folder / "pyproject.toml").write_text(f"[tool.pytest.ini_options]\npythonpath = ['.']\n{text}")
        (folder / "models.py").write_text(HEAD + ORDERS)
    seen = {}
    for name in ("a", "b"):
        monkeypatch.chdir(project.path / name)
        seen[name] = project.run("--collect-only", "--delta-drift", "models.py").outlines

    assert "delta schema: configured by pyproject.toml" in seen["a"]
    assert "delta schema: drift on memory" in seen["a"]
    assert not [line for line in seen["b"] if "configured by" in line]
    assert f"delta schema: drift on local, warehouse {project.path}/b/.delta-warehouse" in seen["b"]


def test_the_section_holds_where_pytest_starts_in_a_subfolder(project, toml, monkeypatch):
    project.ini("")
    toml('warehouse = "lake"', 'backend = "memory"')
    folder = project.path / "tests"
    folder.mkdir()
    (folder / "test_show.py").write_text(SHOW)
    monkeypatch.chdir(folder)

    result = project.run("-s")

    result.stdout.fnmatch_lines(
        ["delta schema: configured by pyproject.toml", f"*backend='memory', * warehouse='{project.path}/lake'*"],
    )


def test_a_run_without_a_section_reports_nothing(project):
    (project.path / "pyproject.toml").write_text('[project]\nname = "pytest-delta-schema-user"\n')
    project.ini("")
    project.pytester.makepyfile("def test_it(): pass")

    project.run().stdout.no_fnmatch_line("*delta schema*")


def test_a_run_without_a_section_does_not_parse_toml(project):
    (project.path / "pyproject.toml").write_text('[project]\nname = "pytest-delta-schema-user"\n')
    project.ini("")
    project.pytester.makepyfile(
        test_x="""
        import sys
        def test_it():
            heavy = ("pytest_delta_schema.configuration.values", "pytest_delta_schema.rules")
            assert [name for name in heavy if name in sys.modules] == []
        """,
    )

    project.run(subprocess=True).assert_outcomes(passed=1)


def test_the_file_named_in_the_header_is_shown_without_controls(project):
    folder = project.path / "a\x1bb"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.pytest_delta_schema]\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "pytest.ini").write_text("[pytest]\n")
    (folder / "sub" / "test_it.py").write_text("def test_it(): pass\n")

    result = project.run("-c", str(folder / "sub" / "pytest.ini"), str(folder / "sub"))

    assert json.dumps("a\x1bb")[1:-1] in next(line for line in result.outlines if "configured by" in line)


@pytest.mark.parametrize(
    ("lines", "args", "expected"),
    [
        (("",), (), "('v*',)"),
        (("delta_release_tags = 'release *' r?",), (), "('release *', 'r?')"),
        (("delta_release_tags = a*",), ("-o", "delta_release_tags=b*"), "('b*',)"),
    ],
)
def test_releases_are_tags_that_begin_with_v_unless_the_project_says_otherwise(project, options, lines, args, expected):
    project.ini(*lines)

    assert f"release_tags={expected}" in options("-o", "addopts=--delta-apply", *args)


def test_policies_for_changes_of_contracts_stand_in_pyproject_only(project, toml):
    project.ini("delta_compatibility = prod.**")
    toml("[[tool.pytest_delta_schema.compatibility]]", 'path = "prod.gold"', 'fail_on = "braking"')

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().splitlines() == [
        (
            "ERROR: pyproject.toml: [tool.pytest_delta_schema]: compatibility entry 1 cannot be used: path 'prod.gold'"
            " matches no table, because the name of a table has 3 parts; write catalog.schema.table, where * is one"
            " part and ** any number of parts"
        ),
        (
            "pyproject.toml: [tool.pytest_delta_schema]: compatibility entry 1 has fail_on = 'braking'; did you mean"
            " breaking?"
        ),
        (
            "tox.ini: there is no ini key delta_compatibility; set compatibility in [tool.pytest_delta_schema] of"
            " pyproject.toml"
        ),
    ]

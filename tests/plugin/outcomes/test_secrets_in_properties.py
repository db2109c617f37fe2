"""Secrets in the properties of a catalog: no output of a run has one of them."""

from __future__ import annotations

SECRETS = {
    "src": "postgres://u:S3cret@h/db",
    "quoted": "postgres://u:S3cret'x@h/db",
    "sqlserver": "jdbc:sqlserver://h;user=sa;password=S3cret",
    "oracle": "jdbc:oracle:thin:scott/S3cret@//h:1521/x",
    "parameter": "https://h/x;token=S3cret",
    "settings": "host=h password=S3cret",
    "db.pwd": "S3cret",
    "db.passwd": "S3cret",
    "db.passphrase": "S3cret",
    "db.auth": "S3cret",
    "db.bearer": "S3cret",
    "api_token": "S3cret",
}
MODELS = f"""
names = {[*SECRETS]}
orders = table("dev.silver.orders", Column("id", LongType()), table_properties=dict.fromkeys(names, "other"))
gone = table("dev.silver.gone", Column("id", LongType()), table_properties=dict.fromkeys(names))
"""
CATALOG = f"""MemoryCatalog([
    stored("dev.silver.orders", OLD, table_properties={SECRETS}),
    stored("dev.silver.gone", OLD, table_properties={SECRETS}),
])"""
REPORTS = ("json", "markdown", "html", "sarif", "gitlab")
PRINTED = ("--delta-report=github",)


def test_no_output_of_a_run_shows_secrets_in_properties_of_the_catalog(project):
    project.models(MODELS)
    project.catalog(CATALOG)
    reports = [f"--delta-report={kind}:out.{kind}" for kind in REPORTS]

    result = project.run("--delta-drift", "-m", "delta_drift", "-rA", "-vv", "--junitxml=junit.xml", *reports, *PRINTED)

    result.assert_outcomes(failed=2)
    outputs = {name: (project.path / name).read_text() for name in ["junit.xml", *(f"out.{kind}" for kind in REPORTS)]}
    outputs["terminal"] = result.stdout.str() + result.stderr.str()
    assert {name for name, text in outputs.items() if "src" not in text} == set()
    assert {name for name, text in outputs.items() if "S3cret" in text} == set()

"""The snapshots of a commit or a folder: which are read, and what is a fault of one table."""

from __future__ import annotations

import os

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.diagnostics.errors import ConfigurationError
from pytest_delta_schema.history.contracts import contracts_at
from support.case_tables import cases
from support.git_repository import STATES, GitRepository, state_file

ORDERS = QualifiedName("dev", "silver", "orders")
STATE = f"{STATES}/dev.silver.orders.state.json"
SQL = f"{STATES}/dev.silver.orders.ddl.sql"
CREATE = "CREATE TABLE dev.silver.orders (id BIGINT NOT NULL) USING DELTA;"
REMEDY = "compare with a commit or a folder that has one readable snapshot of the table"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    repository = GitRepository.created(tmp_path, monkeypatch)
    monkeypatch.chdir(repository.folder)
    return repository


def past(repository, files, folder="."):
    """Return the contracts of a commit with some files, which are gone in the next one."""
    commit = repository.commit(files)
    repository.git("rm", "--quiet", "-r", ".")
    repository.commit()
    (repository.folder / folder).mkdir(parents=True, exist_ok=True)
    return contracts_at(commit, project=repository.folder / folder)


def test_sql_is_read_where_there_is_no_state_file(shop):
    lines = f"{STATES}/dev.silver.lines.ddl.sql"

    contracts = past(shop, {STATE: state_file(column="state"), SQL: CREATE, lines: CREATE.replace("orders", "lines")})

    assert contracts.tables[ORDERS].state.columns[0].name == "state"
    contract = contracts.tables[QualifiedName("dev", "silver", "lines")]
    assert contract.from_sql
    assert not contract.state.columns[0].is_nullable
    assert contracts.notes == (f"read from SQL, without state files: {lines}; what SQL does not hold is not judged",)


def test_a_project_of_several_in_a_repository(shop):
    files = {"pyproject.toml": "", STATE: state_file()}
    for name in ("one", "two", "two/inner"):
        files |= {f"{name}/pyproject.toml": "", f"{name}/{STATE}": state_file()}
    shop.commit(files)
    shop.commit({"shop/models.py": ""})
    (shop.folder / "three").mkdir()
    others = {"one": "", "one/inner": "", "two": "inner", "three": "one, two, two/inner", ".": "one, two, two/inner"}
    for folder, names in others.items():
        (shop.folder / folder).mkdir(exist_ok=True)
        contracts = contracts_at("HEAD~1", project=shop.folder / folder)

        assert [contract.file for contract in contracts.tables.values()] == [STATE]
        assert contracts.faults == ()
        note = f"projects with a pyproject.toml of their own are not read: {names}"
        assert contracts.notes == ((note,) if names else ())


def test_other_files_are_not_read(shop):
    contracts = past(
        shop, {"shop/dev.silver.orders.state.json": "{", f"{STATES}/test_it.sql": "", f"{STATES}/x.ambr": ""}
    )

    assert contracts.tables == {}
    assert contracts.faults == ()
    (note,) = contracts.notes
    assert note == f"nothing to compare: commit {contracts.commit[:12]} has no snapshot of the project"


def test_what_lies_elsewhere_is_no_contract_of_the_project_while_it_is_there(shop):
    """Neither a snapshot of another project, nor one that a sparse checkout leaves out."""
    shop.commit({f"old/{STATE}": state_file(), f"far/{STATE}": state_file("lines"), "new/pyproject.toml": ""})
    shop.commit({"new/models.py": ""})
    shop.git("sparse-checkout", "set", "--no-cone", "/new/", "/old/")
    assert not (shop.folder / "far").exists()

    contracts = contracts_at("HEAD~1", project=shop.folder / "new")

    assert (contracts.moved, contracts.moved_faults) == ({}, ())
    assert contracts.notes == (
        f"nothing to compare: commit {str(contracts.commit)[:12]} has no snapshot of the project",
    )


def test_a_table_that_has_come_from_two_places_has_no_single_contract(shop):
    (shop.folder / "new").mkdir()
    (shop.folder / "new" / "pyproject.toml").touch()

    contracts = past(shop, {f"{folder}/{STATE}": state_file() for folder in ("a", "b")}, folder="new")

    assert contracts.moved == {}
    assert [fault.message for fault in contracts.moved_faults] == [f"has 2 contracts, in ../a/{STATE} and ../b/{STATE}"]


def test_a_snapshot_that_cannot_be_read_is_a_fault_of_its_table(shop):
    rows = [
        (STATE, "{", "cannot be read: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (STATE, '{"version": 99}', "cannot be read: state of a table: "),
        (STATE, '{"version": 1, "name": "dev.silver.orders", "colums": []}', "cannot be read: dev.silver.orders: has the unknown key 'colums'; write 'columns'"),
        (STATE, '{"version": 1, "name": "orders"}', "cannot be read: orders: name "),
        (STATE, b"\xff", "cannot be read: it is not UTF-8"),
        (STATE, "{}\n<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n", "cannot be read: it has the marks of a merge conflict"),
        (SQL, "SELECT 1", "cannot be read: statement 1, line 1: "),
        (SQL, "CREATE TABLE orders (id BIGINT)", "cannot be read: statement 1, line 1: the name orders lacks its catalog and schema"),
    ]  # fmt: skip

    for file, content, message in rows:
        contracts = past(shop, {file: content, f"{STATES}/dev.silver.lines.state.json": state_file("lines")})
        (fault,) = contracts.faults

        assert list(contracts.tables) == [QualifiedName("dev", "silver", "lines")]
        assert (fault.table, fault.files, fault.remedy) == (ORDERS, (file,), REMEDY)
        assert fault.message.startswith(f"{file} {message}")
        assert str(fault) == f"dev.silver.orders: {fault.message}; {REMEDY}"


def test_the_content_or_the_name_of_a_file_tells_the_table_of_a_fault(shop):
    def table_of_fault(name, content):
        file = f"{STATES}/{name}.state.json"
        (fault,) = past(shop, {file: content}).faults
        assert str(fault).startswith(f"{fault.table or file}: {file} cannot be read: ")
        return fault.table

    with cases(table_of_fault) as case:
        case("dev.silver.%60a.b%60", "", QualifiedName("dev", "silver", "a.b"))
        case("Dev.Silver.Orders", "", ORDERS)
        case("orders", "", None)
        case("dev.silver.very_long~0123456789ab", "", None)
        case("orders", '{"name": "Dev.Silver.Orders"}', ORDERS)
        case("dev.silver.lines", '{"name": "dev.silver.orders"}', ORDERS)
        for content in ('{"name": "x"}', '{"name": 1}', "[]", "{}"):
            case("dev.silver.orders", content, ORDERS)


def test_two_contracts_of_one_table(shop):
    other = "old/__snapshots__/dev.silver.orders.ddl.sql"

    contracts = past(shop, {STATE: state_file(), other: CREATE, f"{STATES}/x.state.json": state_file("lines")})

    assert list(contracts.tables) == [QualifiedName("dev", "silver", "lines")]
    (fault,) = contracts.faults
    assert fault.files == (other, STATE)
    assert str(fault) == f"dev.silver.orders: has 2 contracts, in {other} and {STATE}; {REMEDY}"


def test_a_symbolic_link_is_not_followed(shop, tmp_path):
    (tmp_path / "outside").write_text(state_file())
    (shop.folder / STATES).mkdir(parents=True)
    (shop.folder / STATE).symlink_to(tmp_path / "outside")

    (fault,) = past(shop, {}).faults

    assert str(fault) == f"dev.silver.orders: {STATE} is a symbolic link; {REMEDY}"


def test_submodules_are_not_read(shop, tmp_path, monkeypatch):
    (tmp_path / "library").mkdir()
    library = GitRepository.created(tmp_path / "library", monkeypatch)
    library.commit({STATE: state_file()})
    monkeypatch.setenv("HOME", str(tmp_path))
    shop.git("submodule", "--quiet", "add", f"file://{library.folder}", "libs/library")
    shop.commit({STATE: state_file()})
    shop.commit({STATE: state_file(column="new")})

    contracts = contracts_at("HEAD~1", project=shop.folder)

    assert contracts.faults == ()
    assert contracts.notes == ("submodules are not read: libs/library",)


def test_a_folder(shop, monkeypatch):
    lines = CREATE.replace("orders", "lines")
    shop.write({f"old/{STATE}": state_file(), "old/a/dev.silver.lines.ddl.sql": lines, "old/.cache/x.state.json": "{"})
    monkeypatch.setenv("PATH", "")
    for ref in ("./old", "old/", "../work/old", f"{shop.folder}/old"):
        contracts = contracts_at(ref, project=shop.folder)

        assert list(contracts.tables) == [QualifiedName("dev", "silver", "lines"), ORDERS]
        assert (contracts.commit, contracts.label) == (None, f"{contracts.ref}: a folder")
        assert contracts.notes == (
            "read from SQL, without state files: a/dev.silver.lines.ddl.sql; what SQL does not hold is not judged",
        )


def test_a_folder_below_that_cannot_be_read(shop, monkeypatch):
    shop.write({"old/dev.silver.orders.state.json": state_file(), "old/below/x.state.json": state_file("lines")})
    scan = os.scandir

    def scandir(path):
        if str(path).endswith("below"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)

    with pytest.raises(ConfigurationError, match=r"^\./old: cannot be read: Permission denied \(old/below\); give"):
        contracts_at("./old", project=shop.folder)


def test_a_folder_without_snapshots_is_refused(shop):
    with pytest.raises(ConfigurationError, match=r"^\./: has no snapshot of a table; "):
        contracts_at("./", project=shop.folder)


def test_a_file_of_a_folder_that_cannot_be_opened(shop):
    (shop.folder / "dev.silver.orders.state.json").symlink_to("nowhere")

    contracts = contracts_at("./", project=shop.folder)

    assert [str(fault) for fault in contracts.faults] == [
        f"dev.silver.orders: dev.silver.orders.state.json cannot be read: No such file or directory; {REMEDY}"
    ]

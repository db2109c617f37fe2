"""The fixtures of this package, and the types of what they return."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pytest_delta_schema.settings.table import WORKER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession
    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.execute.protocols import Catalog, ScratchCatalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.test_kit.effects import Effect
    from pytest_delta_schema.write_check.verdict import WriteVerdict

__all__ = [
    "_delta_other_catalog",
    "_delta_scratch",
    "delta_bound",
    "delta_catalog",
    "delta_clone",
    "delta_effect",
    "delta_probe",
    "delta_raises",
    "delta_scratch_catalog",
    "delta_snapshot",
    "delta_spark",
    "delta_spark_conf",
    "delta_versions",
    "delta_warehouse",
    "delta_worker_id",
    "make_delta_schema",
    "make_delta_table",
    "make_delta_tables",
]


def _run(config: pytest.Config) -> ContractRun:
    from pytest_delta_schema.plugin.run import contract_run

    return contract_run(config)


@pytest.fixture(scope="session")
def delta_worker_id(pytestconfig: pytest.Config) -> str:
    """Name of the xdist worker, ``main`` without xdist."""
    from pytest_delta_schema.plugin.compat import worker_id

    return worker_id(pytestconfig)


@pytest.fixture(scope="session")
def delta_warehouse(pytestconfig: pytest.Config, delta_worker_id: str) -> Path:
    """Folder in which the local catalog keeps its tables."""
    return Path(_run(pytestconfig).options.warehouse.replace(WORKER, delta_worker_id))


@pytest.fixture(scope="session")
def delta_spark_conf(pytestconfig: pytest.Config, delta_warehouse: Path) -> dict[str, str]:
    """Settings of the local Spark session; an override returns a changed copy."""
    from pytest_delta_schema.backends.local.start import session_conf
    from pytest_delta_schema.diagnostics.redaction import HiddenValues

    conf = HiddenValues(session_conf(delta_warehouse))
    stores = _run(pytestconfig).options.values["storage"]
    if stores:
        from pytest_delta_schema.backends.storage import Storage, spark_options

        conf.update(spark_options(Storage(**store) for store in stores))
    return conf


@pytest.fixture(scope="session")
def delta_spark(
    request: pytest.FixtureRequest, pytestconfig: pytest.Config, delta_spark_conf: dict[str, str], delta_warehouse: Path
) -> Iterator[SparkSession]:
    """A Spark session with Delta: the active one, or a tuned local one that is stopped at the end.

    An active session without Delta is an error that shows the lines to add where it is created.
    """
    from pytest_delta_schema.plugin.spark import opened_session

    yield from opened_session(request, _run(pytestconfig), delta_spark_conf, delta_warehouse)


@pytest.fixture(scope="session")
def delta_catalog(request: pytest.FixtureRequest) -> Catalog:
    """The catalog that models are compared with, as chosen with ``--delta-backend``.

    For a test that uses it, the session of the local backend is started; checks of tables start it when they need it.
    """
    from pytest_delta_schema.plugin.catalogs import open_catalog

    return open_catalog(request, _run(request.config).options)


@pytest.fixture
def delta_scratch_catalog(request: pytest.FixtureRequest, delta_catalog: Catalog) -> Catalog:
    """The catalog in which tests create tables: ``delta_catalog``, unless the backend only reads, as ``locations``.

    Then it is a catalog on the backend of the setting ``scratch_backend``. The fixtures that make, probe and observe
    tables use it, and so do the assertions of a test that has one of them.
    """
    if delta_catalog.capabilities.only_reads is None:
        return delta_catalog
    catalog: Catalog = request.getfixturevalue("_delta_other_catalog")
    return catalog


@pytest.fixture(scope="session")
def _delta_other_catalog(request: pytest.FixtureRequest) -> Catalog:
    from pytest_delta_schema.plugin.catalogs import open_catalog

    options = _run(request.config).options
    return open_catalog(request, options._replace(backend=options.values["scratch_backend"]))


@pytest.fixture
def delta_snapshot(request: pytest.FixtureRequest) -> SnapshotAssertion:
    """A syrupy snapshot of SQL, kept as a ``.sql`` file."""
    if not request.config.pluginmanager.hasplugin("syrupy"):
        from pytest_delta_schema.plugin.compat import skip_item

        skip_item("snapshots need the syrupy plugin, which is switched off")
    from pytest_delta_schema.plugin.snapshots import SqlSnapshotExtension

    return request.getfixturevalue("snapshot").use_extension(SqlSnapshotExtension)  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def delta_bound(pytestconfig: pytest.Config) -> Callable[[Table], Table]:
    """Find the table that a model maps to in this run.

    Call it with the model; it returns the model of the table that ``--delta-bind`` names, with the default properties
    of the project, or the same model if there are none.
    """
    from pytest_delta_schema.plugin.scratch import bound_by

    return bound_by(_run(pytestconfig))


@pytest.fixture
def make_delta_schema(_delta_scratch: Any) -> MakeSchema:
    """Make scratch schemas that are dropped after the test.

    Call it with nothing, or with the name of the catalog; it returns the dotted name of a new, empty schema.
    """
    return _delta_scratch.schema  # type: ignore[no-any-return]


@pytest.fixture
def make_delta_table(_delta_scratch: Any) -> MakeTable:
    """Make tables from models, in a scratch schema that is dropped after the test.

    Call it with the model, optionally with ``rows``, ``name`` and ``fill``; it returns the model of the new table,
    whose ``qualified_name`` can be queried. Rows are dictionaries by column name, ``Row`` objects, tuples in the order
    of the columns, or a frame of Spark or pandas. ``rows=3`` makes three rows as :func:`rows_of` does, and
    ``fill=True`` completes dictionaries that leave columns out; their foreign keys take the rows of the parents that
    this test has made before, on backends that read rows: local, session, unity and memory. Property policy, default
    properties, features and rules of the project apply. Foreign keys reference the parents that this test has made
    before; others are left out. Rows are read back as they are given, converted to the types of their columns; if
    one would not, a ``StatementError`` names every such value, and no row is written. Its other errors are those of
    an apply.
    """

    def make(model: Table, rows: Any = None, *, name: str | None = None, fill: bool = False) -> Table:
        __tracebackhide__ = True
        return _delta_scratch.table(model, rows, name, fill=fill)  # type: ignore[no-any-return]

    return make


@pytest.fixture
def make_delta_tables(_delta_scratch: Any) -> MakeTables:
    """Make the tables of several models at once, parents first, in scratch schemas that are dropped after the test.

    Call it with a list of models; it returns the models of the new tables in the same order. Their foreign keys
    reference each other, also in a circle, and the parents that this test has made before; others are left out. Models
    of one schema share a scratch schema. Everything else is as for :func:`make_delta_table`.
    """
    return _delta_scratch.tables  # type: ignore[no-any-return]


@pytest.fixture
def delta_clone(request: pytest.FixtureRequest, delta_catalog: ScratchCatalog) -> CloneTable:
    """Clone an existing table for one test, in a scratch schema that is dropped after the test.

    Call it with the model of the table, optionally with ``name``; it returns the model of the clone. The clone has the
    rows of the table, and no write, VACUUM or ALTER of the clone reaches the table. It keeps the names of its keys, and
    its foreign keys reference the same parents. In the local backend the clone has the history of the table, too, and
    no change of the table reaches the clone; it takes no Spark job and copies no data: both tables link to the same
    files. The session backend runs SHALLOW CLONE.
    """
    from pytest_delta_schema.execute.protocols import clone_refusal

    refusal = clone_refusal(delta_catalog)
    if refusal is not None:
        pytest.fail(
            f"the {delta_catalog.name} backend cannot clone tables: {refusal.reason}; {refusal.remedy}", pytrace=False
        )
    scratch: Any = request.getfixturevalue("_delta_scratch")

    def clone(table: Table, *, name: str | None = None) -> Table:
        __tracebackhide__ = True
        return scratch.clone(table, name)  # type: ignore[no-any-return]

    return clone


@pytest.fixture
def delta_raises() -> Raises:
    """Expect a write to be stopped by one constraint of a model, and by no other.

    Call it with the model and ``check=`` or ``not_null=``, as a context manager around the write.
    """
    from pytest_delta_schema.assertions.contracts import raises_constraint

    return raises_constraint


@pytest.fixture
def delta_probe(delta_scratch_catalog: Catalog) -> Callable[..., WriteVerdict]:
    """Run a write on an empty clone of a table, and return what Delta did; see :func:`probe_write`.

    Call it with the table and the frame, and how it is written; the clone is made in
    ``delta_scratch_catalog``.
    """
    from pytest_delta_schema.execute.protocols import ProbesWrites

    if not isinstance(delta_scratch_catalog, ProbesWrites):
        name = delta_scratch_catalog.name
        pytest.fail(f"the {name} backend cannot try writes; use check_write, or the local backend", pytrace=False)
    return delta_scratch_catalog.probe_write


@pytest.fixture
def delta_effect(delta_scratch_catalog: Catalog) -> Callable[[Table | str], AbstractContextManager[Effect]]:
    """Observe what a block of code does to a table.

    Call it with a model or the name of a table: ``with delta_effect(orders) as effect: job()``. The block may create
    the table. After the block, also one that raised an error, ``effect`` has
    ``versions``, ``operations``, ``rows_added``, ``rows_removed``, ``rows_updated``, ``schema_changes``,
    ``features_raised``, ``properties_changed``, ``files_rewritten``, ``commits`` and ``table_was``; and it asserts
    with ``kept_schema``, ``only("MERGE")``, ``made_no_commit()`` and ``kept_contract(model)``, whose failures list each
    commit. The local, the session and the unity backend can do it.
    """
    from pytest_delta_schema.test_kit.effects import effect_on

    def observe(table: Table | str) -> AbstractContextManager[Effect]:
        __tracebackhide__ = True
        return effect_on(table, delta_scratch_catalog)

    return observe


@pytest.fixture
def delta_versions(delta_scratch_catalog: Catalog) -> Callable[[Table | str], tuple[Commit, ...]]:
    """Read the history of a table, the oldest version first.

    Call it with a model or the name of a table; each commit has ``version``, ``operation``, ``metrics``,
    ``parameters``, ``user_metadata``, ``timestamp``, and the files that it ``added`` and ``removed``. The local,
    the session and the unity backend can do it.
    """
    from pytest_delta_schema.test_kit.effects import versions_of

    def versions(table: Table | str) -> tuple[Commit, ...]:
        __tracebackhide__ = True
        return versions_of(table, delta_scratch_catalog)

    return versions


@pytest.fixture
def _delta_scratch(
    pytestconfig: pytest.Config, delta_scratch_catalog: ScratchCatalog, delta_worker_id: str
) -> Iterator[Any]:
    from pytest_delta_schema.plugin.scratch import Scratch, scratch_refusal

    options = _run(pytestconfig).options
    refusal = scratch_refusal(delta_scratch_catalog, options)
    if refusal is not None:
        pytest.fail(refusal, pytrace=False)
    scratch = Scratch(delta_scratch_catalog, delta_worker_id, options.scratch_catalog)
    yield scratch
    scratch.clean_up()


class MakeSchema(Protocol):
    """Makes a scratch schema; see :func:`make_delta_schema`."""

    def __call__(self, catalog_name: str = "scratch") -> str:
        """Return the dotted name of a new schema."""
        ...


class CloneTable(Protocol):
    """Clones a table; see :func:`delta_clone`."""

    def __call__(self, table: Table, *, name: str | None = None) -> Table:
        """Return the model of the clone."""
        ...


class Raises(Protocol):
    """Expects a write to be stopped; see :func:`delta_raises`."""

    def __call__(
        self, model: Table, *, check: str | None = None, not_null: str | None = None
    ) -> AbstractContextManager[None]:
        """Return the context manager."""
        ...


class MakeTable(Protocol):
    """Makes a scratch table; see :func:`make_delta_table`."""

    def __call__(
        self,
        model: Table,
        rows: Iterable[Mapping[str, Any] | tuple[Any, ...]] | DataFrame | int | None = None,
        *,
        name: str | None = None,
        fill: bool = False,
    ) -> Table:
        """Return the model of the new table."""
        ...


class MakeTables(Protocol):
    """Makes several scratch tables; see :func:`make_delta_tables`."""

    def __call__(self, models: Iterable[Table]) -> tuple[Table, ...]:
        """Return the models of the new tables, in the order of ``models``."""
        ...

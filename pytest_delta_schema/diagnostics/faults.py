"""Faults that no rule reports: of catalogs, of applies, of code of the project.

Each is a class that is named after the fault, has its code, and explains it in its docstring.
"""

from __future__ import annotations

from typing import Protocol


class HasCode(Protocol):
    """A fault: its class is named after it, has its code, and explains it in its docstring."""

    code: str


class SnapshotDiffers:
    """The SQL that would create a table, or its state, is not that of the snapshot, or there is no snapshot.

    The model has changed, or a newer version of this package renders it otherwise. A ``.state.json`` file that holds no
    state, or one of a newer version of this package, is reported in the same way.

    Remedy: Write the snapshot with ``pytest --snapshot-update``, and review its change.

    Example:
        dev.silver.orders: its SQL is not the one in the snapshot; run pytest --snapshot-update
    """

    code = "DS127"


class UnenforcedConstraint:
    """A scratch table has taken a row that breaks a constraint, or something else has stopped the row.

    ``--delta-enforce`` writes the rows of ``breaking_rows``. NOT NULL, lengths and checks have to stop theirs; Delta
    Lake enforces no keys, so the data check has to count theirs.

    Remedy: Find the setting or the extension of the session that turns the constraint off. If another constraint has
    stopped the row, try it in a test with other values.

    Example:
        dev.silver.orders: check positive did not stop the row {'id': 1, 'amount': -1}; reject such rows
        in the job that writes the table, until the cause is found in the session's settings
    """

    code = "DS402"


class RefusedRow:
    """A scratch table has refused rows that satisfy the contract, if that is known without Spark.

    No constraint is tried then. A check for which no rows are known is not considered when rows are made, and the
    memory backend cannot evaluate one that needs Spark.

    Remedy: Correct what refuses the rows. For a check of which no row is known, give values in a test of your own.

    Example:
        dev.silver.orders: rows that satisfy the contract, apart from check even, were refused: check
        even; the first is {'id': 1}; try it in a test with values of your own:
        breaking_rows(model, column=value)
    """

    code = "DS403"


class UnreachableCatalog:
    """The catalog could not be opened, or the connection to it is lost, so no table was read.

    It is shown once a run; all other tables are skipped.

    Remedy: Do what the message says, such as starting the server or installing an extra, and run again.

    Example:
        Spark has ended; run again
    """

    code = "DS501"


class UnreadableTable:
    """A table could not be read, so it is not known what the catalog holds.

    It is never taken for a table that does not exist. A permission is missing, files of its log cannot be read, or the
    catalog refuses a query.

    Remedy: Give the principal the permission, or repair what the message names.

    Example:
        dev.silver.orders: cannot be read (no SELECT); repair the session, or its permission to read
        the table [DS502 UnreadableTable]
    """

    code = "DS502"


class DamagedTable:
    """The Delta log or the metadata of a table is damaged.

    A file is empty, cut off or missing, or two of them contradict each other.

    Remedy: Restore the files that the message names from a backup, or run the statement that it shows.

    Example:
        dev.silver.orders: its Delta log is damaged (_delta_log/00000000000000000004.json is empty);
        restore it from a backup [DS503 DamagedTable]
    """

    code = "DS503"


class ViewInPlaceOfTable:
    """The catalog has a view under the name of a declared table.

    Remedy: Drop the view, or declare the table under another name.

    Example:
        dev.silver.orders: is a view, not a table; drop the view, or declare the table under another
        name [DS504 ViewInPlaceOfTable]
    """

    code = "DS504"


class NotDeltaTable:
    """The catalog has a table of another format, or files without a Delta log, instead of a declared table.

    Remedy: Consent to the conversion of parquet files (``convert_from``), or choose another name or folder.

    Example:
        dev.silver.orders: is a csv table, not a Delta table [DS505 NotDeltaTable]
    """

    code = "DS505"


class UnsupportedTable:
    """A table needs a newer version of Spark, Delta or this package than the one that reads it.

    Its protocol, a table feature or a type is not known.

    Remedy: Read it with a newer pair of pyspark and delta-spark, or with the backend that the message names.

    Example:
        dev.silver.orders: is unreadable, because Spark refuses to open it
        ([DELTA_UNSUPPORTED_FEATURES_FOR_READ] ...) [DS506 UnsupportedTable]
    """

    code = "DS506"


class AbsentTable:
    """A table is needed that is not in the catalog, such as the target of a write check.

    Remedy: Create the table first: ``pytest --delta-apply``.

    Example:
        dev.silver.orders: is not in the catalog; create it first [DS507 AbsentTable]
    """

    code = "DS507"


class TableNotRead:
    """A plan needs a table that was not read with the others.

    It happens in scripts that take a snapshot of some models and plan others.

    Remedy: Take the snapshot with the same models.

    Example:
        dev.silver.orders: is not part of the catalog state it is planned against; take the snapshot
        with the same models [DS508 TableNotRead]
    """

    code = "DS508"


class UnusableName:
    """The backend cannot store a table under its name, or reads no catalog of that name.

    Remedy: Choose another name, or change the configuration that the message names.

    Example:
        dev.silver.orders: the catalog dev of this session is a com.example.Catalog, which the
        local backend cannot read; leave spark.sql.catalog.dev unset, or rename the catalog
        [DS509 UnusableName]
    """

    code = "DS509"


class UnlistableFiles:
    """A model converts files that the backend cannot list.

    Remedy: Convert them with the local backend or by ``CONVERT TO DELTA``, or remove ``convert_from``.

    Example:
        dev.silver.orders: its model converts /lake/orders, whose files the session backend cannot
        list [DS510 UnlistableFiles]
    """

    code = "DS510"


class UnknownVersion:
    """The Delta version of a table cannot be read, so it is not known whether somebody else has changed it.

    Remedy: Read the history of the table with ``DESCRIBE HISTORY``.

    Example:
        dev.silver.orders: its catalog does not show its version; read its history with
        DESCRIBE HISTORY [DS511 UnknownVersion]
    """

    code = "DS511"


class FailedCheck:
    """A check ended with an error that is not a finding about its table.

    The catalog refused a query, or code of the project raised an exception, such as a fixture or a hook.

    Remedy: Fix the cause, which the report of the test shows in full, and run again.

    Example:
        RuntimeError: the fixture delta_spark needs the variable LAKE
    """

    code = "DS512"


class RefusedConsents:
    """Consents match nothing on the tables of the run, or match what needs no consent, so no table is checked.

    A misspelt consent is not taken for one that is not needed any more.

    Remedy: Correct the consents that the message lists, or remove them.

    Example:
        consent 'drop-column dev.silver.orders.id' names a column that the model declares; remove it
        from the model
    """

    code = "DS513"


class FailedStatement:
    """A statement of an apply failed, so the table is changed in part.

    The report lists the statements that ran, that failed and that did not run, and how to restore the table.

    Remedy: Fix the cause and apply again; the next plan starts from what is done.

    Example:
        dev.silver.orders: statement 2 of 3 failed: the disk is full
    """

    code = "DS601"


class RemainingDrift:
    """All statements of an apply ran, and the catalog still differs from the model.

    This is a defect of this package or of the backend.

    Remedy: Report it with the changes that the message lists, and the statements that ran.

    Example:
        after the apply the catalog still differs, which is a defect of this tool or of the backend:
          dev.silver.orders: ~ comment: '' -> 'Orders'
    """

    code = "DS602"


class FailedMetadataSync:
    """A catalog entry could not be updated from the Delta log of its table.

    The catalog commits to the log, somebody else changes the entry, or the server refuses.

    Remedy: Do what the message says; the other entries are synchronised.

    Example:
        dev.silver.orders: somebody else has changed its catalog entry during each of 5 tries;
        try again later [DS603 FailedMetadataSync]
    """

    code = "DS603"


class UnprovedApply:
    """All statements of an apply ran, and then the table could not be read back, or its catalog entry not synchronised.

    The report lists the statements that ran, and how to restore the table.

    Remedy: See that the catalog answers, and apply again; the next plan starts from what is done.

    Example:
        dev.silver.orders: all 4 statements ran, and then the table could not be read back:
        the server cannot be reached
    """

    code = "DS604"


class UnfinishedCreation:
    """Another apply has created the table at the same time, and the table still differs from the model.

    Of two applies that create a table, one does; the other waits a minute for its keys. The other apply has failed,
    takes longer, or has another model.

    Remedy: Apply again when the other apply has ended.

    Example:
        dev.silver.orders: another apply created it meanwhile, and after 60 s it differs from its
        model: + primary_key: (absent) -> pk_dev_silver_orders__id (id); the other apply has failed,
        takes longer, or has another model; apply again when the other one has ended
    """

    code = "DS605"

"""Faults that no rule reports: of catalogs, of applies, of code of the project; and the witness of a fault.

Each fault is a class that is named after it, has its code, and explains it in its docstring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol


class HasCode(Protocol):
    """A fault: its class is named after it, has its code, and explains it in its docstring."""

    code: str


WitnessResult = Literal["confirmed", "not confirmed", "not run", "no witness"]
"""The results of a witness."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A script that shows the effect of a changed contract, and its answers before and after the change.

    Args:
        result: ``confirmed``, ``not confirmed``, ``not run``, or ``no witness`` if there is no script.
        file: The script, below the folder of the run; ``""`` if there is none.
        script: Its text.
        before: Its answer before the change; ``""`` if it was not run.
        after: Its answer after the change.
        reason: Why there is none, why it was not run, or why a script that is not confirmed may be right; ``""`` for
            nothing.
    """

    result: WitnessResult
    file: str = ""
    script: str = ""
    before: str = ""
    after: str = ""
    reason: str = ""

    @property
    def fact(self) -> str:
        """The result in one line, with both answers unless it is confirmed."""
        if self.result == "no witness":
            return f"no witness: {self.reason}"
        if self.result == "not confirmed":
            reason = self.reason or "a defect of pytest-delta-schema that can be reported"
            return f"witness {self.file}: not confirmed, {reason}: before: {self.before}; after: {self.after}"
        return f"witness {self.file}: {self.result}{f': {self.reason}' if self.reason else ''}"


class SnapshotDiffers:
    """The SQL that would create a table, or its state, is not that of the snapshot, or there is no snapshot.

    The model has changed, or a newer version of this package renders it otherwise. A ``.state.json`` file that holds no
    state, or one of a newer version of this package, is reported in the same way.

    Remedy: Write the snapshot with ``pytest --snapshot-update``, and review its change.

    Example:
        dev.silver.orders: its SQL is not the one in the snapshot; run pytest --snapshot-update
    """

    code = "DS127"


class ContractDiffers:
    """A model and a data contract say different things of a table.

    Compared are the names of columns and fields, their types, NOT NULL, keys, partitions and deprecations, the values
    and limits of which both are sure, and with ``odcs_comments`` the descriptions. What a contract cannot say is no
    difference.

    Remedy: If the contract is right, change the model; if the model is right, agree on another contract.

    Example:
        dev.silver.orders: columns.amount is int in the model and bigint in shop.odcs.yaml:24
    """

    code = "DS130"


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


class StalePlan:
    """A plan file does not fit a table: planning it now does not give exactly the changes and statements of the file.

    The table was changed after the plan was made, or differs in the catalog to which the plan is applied; or the
    catalog is of a backend with other capabilities. Nothing runs on any table of the file then, so no release is
    applied in part.

    Remedy: Make a new plan, and have it reviewed. Where an apply was interrupted, the new plan has what is left.

    Example:
        plan.json is stale: 1 of its 2 changes is made already: comment [DS606 StalePlan]
    """

    code = "DS606"


class OtherSpelling:
    """The catalog stores a name in another case than the model.

    Names match without case, so this is not drift.

    Remedy: Write the stored name in the model.

    Example:
        column ID is stored as id; names match without case
    """

    code = "DS701"


class EqualExpression:
    """The catalog stores an expression in another form than the model, with the same meaning.

    Remedy: Nothing has to be done; write the stored form in the model to silence the note.

    Example:
        check positive is stored as (id > 0), which is equal to id > 0
    """

    code = "DS702"


class AcceptedColumn:
    """The table has a column that the model does not declare, and that it accepts (``evolution="additive"``).

    Remedy: Declare the column when it is to stay.

    Example:
        column note (string) is not in the model, and stays because the contract is additive
    """

    code = "DS703"


class PossibleRename:
    """A plan drops a column and adds a different one of the same type.

    A rename is never guessed, because it would be lost data if it is none.

    Remedy: If it is a rename, declare it with ``renamed_from``.

    Example:
        column nr is dropped and number is added with the same type; if that is a rename, write
        renamed_from='nr' at number
    """

    code = "DS704"


class ColumnIntroduced:
    """A commit has added a column that the model does not declare; its version, operation and time are named.

    Remedy: Declare the column, drop it, or accept such columns with ``evolution="additive"``.

    Example:
        column note was appended by a writer, in version 5, WRITE of 2026-01-31 12:00:00 UTC
    """

    code = "DS705"


class EntryCompared:
    """The model and the Delta log differ; the note says whether the catalog entry equals the log.

    Remedy: Apply the model. If the entry differs from the log, synchronise it: ``pytest --delta-sync-metadata``.

    Example:
        the model and the Delta log differ; the catalog entry equals the log
    """

    code = "DS706"


class UnstorableMetadata:
    """The catalog cannot store everything that the Delta log of a table holds, so its entry lacks it.

    Remedy: Nothing has to be done; clients that read the log see all of it.

    Example:
        the catalog cannot store the comment of the table, and its entry lacks it
    """

    code = "DS707"


class ManagedEntry:
    """The entry of a managed table is not compared with its log, whose newest commits are in the catalog only.

    Remedy: Nothing has to be done: the catalog updates the entry in each commit. To have them compared, run the gate
    with a Spark session that has the server's connector.

    Example:
        its newest commits are in the catalog only, so its catalog entry and its log are not
        compared
    """

    code = "DS708"


class UncertainClient:
    """A client lacks a table feature, or it is not known whether it can use it, and no rule fails the table for it.

    Remedy: Name the versions in the setting ``client_features``, or change the list of clients.

    Example:
        it is not known whether trino>=999 can read and write the table feature clustering
    """

    code = "DS709"


class UntriedConstraint:
    """``--delta-enforce`` has not tried a constraint, because no row is known that breaks it.

    Identities and generated columns are filled by the table, some checks hold for every row, and some foreign keys have
    to be NULL in the first rows of a table.

    Remedy: If a row can break it, write a test with it: ``delta_raises(orders, check="positive")``.

    Example:
        not tried, because no row of this table is known that breaks it: not null id, check always
    """

    code = "DS710"


class NotCreatable:
    """A declaration is valid for a table that exists, and Delta would refuse to create the table.

    Other writers store names with spaces without column mapping, and NOT NULL inside arrays and maps. A plan that would
    create the table is refused by a rule.

    Remedy: Nothing has to be done if the table exists; otherwise do what the note says.

    Example:
        cannot be created, only compared: column names 'order id' hold one of space , ; { } ( ) =
        tab newline, which Delta stores under column mapping only
    """

    code = "DS711"


class RelyUnknown:
    """The catalog does not show whether queries may rely on a key (``RELY``), so it is not compared.

    Databricks shows it in the CREATE statement only, which a principal may not be allowed to see, or which this package
    does not understand.

    Remedy: Give the principal the permission for SHOW CREATE TABLE, or report a statement that is not understood.

    Example:
        the catalog does not show whether queries may rely on key pk_dev_silver_orders__id, which is
        not compared
    """

    code = "DS712"


class NotShown:
    """The catalog does not show parts of the columns of a table, so they are not compared.

    Databricks shows defaults, generated columns, and what is inside of structs in the answers of ``DESCRIBE TABLE
    EXTENDED ... AS JSON`` and ``SHOW CREATE TABLE`` only. An apply that changes such a part is ``not proven``.

    Remedy: Use a SQL warehouse or Databricks Runtime 16.2 or newer, and give the principal the permission for
        SHOW CREATE TABLE.

    Example:
        not compared: defaults, comments in structs; the catalog does not show them
    """

    code = "DS716"


class AlreadyThere:
    """Another apply has created the table while this one ran, which has changed nothing of it.

    Remedy: Nothing has to be done; the table is as its model declares it.

    Example:
        already there: another apply created it meanwhile
    """

    code = "DS713"


class ReadOnlyObject:
    """A model with ``read_only=True`` declares a view, or a table of another format.

    Its columns, types and comments are compared; no plan creates or changes it.

    Remedy: None is needed.

    Example:
        dev.silver.open_orders: is a materialized view, which is only compared [DS714 ReadOnlyObject]
    """

    code = "DS714"


class AlreadyApplied:
    """A table is as a plan file leaves it, so nothing of the file is left to run on it.

    Remedy: Nothing has to be done; the table is as its model declares it.

    Example:
        already applied: nothing is left of the 2 changes that plan.json has
    """

    code = "DS717"

"""Remarks: what a check finds that fails no table.

Each is a class that is named after what was found, has its code, and explains it in its docstring.
"""

from __future__ import annotations


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

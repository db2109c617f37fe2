"""Changes of constraints, as a contract over time judges them."""

from __future__ import annotations


class CheckAdded:
    """A CHECK constraint is new, or has a different condition.

    Writes that violate it are refused, and clients that write have to know the table feature ``checkConstraints``.

    Remedy: Let the writers satisfy it before the release.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
    """

    code = "DC120"


class CheckDropped:
    """A CHECK constraint is no longer in the contract, or has a different condition.

    Rows that it refused may come.

    Remedy: Let the readers expect such rows before the release.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
        new = Table("dev", "silver", "orders", columns)
    """

    code = "DC121"


class ConstraintKeyAdded:
    """A primary key, a UNIQUE constraint or a foreign key is new, or has other columns.

    Delta enforces no keys, so nothing refuses duplicates or rows without a parent; the next apply finds them.

    Remedy: Let the writers satisfy it before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, primary_key=["id"])
    """

    code = "DC122"


class RelyKeyAdded:
    """A key with RELY is new, or has other columns.

    Databricks optimizes queries on the assumption that the key holds, so results are wrong where rows violate it.
    Nothing refuses such rows.

    Remedy: Declare the key without ``rely`` first, and add it in a later release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns)
        new = Table(
            "dev", "silver", "orders", columns, primary_key=PrimaryKey(["id"], rely=True)
        )
    """

    code = "DC123"


class ConstraintKeyDropped:
    """A primary key, a UNIQUE constraint or a foreign key is no longer in the contract.

    Duplicates, or rows without a parent, may come, and joins multiply rows.

    Remedy: Let the readers expect such rows before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns, primary_key=["id"])
        new = Table("dev", "silver", "orders", columns)
    """

    code = "DC124"


class RelyAdded:
    """An existing key gets RELY.

    Databricks optimizes queries on the assumption that the key holds, so results are wrong where rows violate it.

    Remedy: Check the rows before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        key, relied = PrimaryKey(["id"], name="pk"), PrimaryKey(["id"], name="pk", rely=True)
        old = Table("dev", "silver", "orders", columns, primary_key=key)
        new = Table("dev", "silver", "orders", columns, primary_key=relied)
    """

    code = "DC125"

"""Types as texts, with what they mean; Spark's parser agrees with each."""

from __future__ import annotations

from pyspark.sql import types as spark

NAMED = {
    "bigint": spark.LongType(),
    "LONG": spark.LongType(),
    "int": spark.IntegerType(),
    " Integer ": spark.IntegerType(),
    "smallint": spark.ShortType(),
    "short": spark.ShortType(),
    "tinyint": spark.ByteType(),
    "byte": spark.ByteType(),
    "double": spark.DoubleType(),
    "float": spark.FloatType(),
    "real": spark.FloatType(),
    "boolean": spark.BooleanType(),
    "string": spark.StringType(),
    "binary": spark.BinaryType(),
    "date": spark.DateType(),
    "timestamp": spark.TimestampType(),
    "timestamp_ltz": spark.TimestampType(),
    "timestamp_ntz": spark.TimestampNTZType(),
    "void": spark.NullType(),
    "decimal": spark.DecimalType(10, 0),
    "dec(5)": spark.DecimalType(5, 0),
    "NUMERIC( 18 , 2 )": spark.DecimalType(18, 2),
    "decimal(18,2)": spark.DecimalType(18, 2),
    "char(3)": spark.CharType(3),
    "character(3)": spark.CharType(3),
    "varchar(10)": spark.VarcharType(10),
    "array<int>": spark.ArrayType(spark.IntegerType()),
    "array<array<string>>": spark.ArrayType(spark.ArrayType(spark.StringType())),
    "map<string, array<map<int, date>>>": spark.MapType(
        spark.StringType(), spark.ArrayType(spark.MapType(spark.IntegerType(), spark.DateType()))
    ),
    "struct<>": spark.StructType([]),
    "struct< >": spark.StructType([]),
    "struct<a: int not null comment 'x'>": spark.StructType(
        [spark.StructField("a", spark.IntegerType(), nullable=False, metadata={"comment": "x"})]
    ),
    'STRUCT<a int, `b c`: struct<date:date COMMENT "it\'s">, comment string NOT NULL>': spark.StructType(
        [
            spark.StructField("a", spark.IntegerType()),
            spark.StructField(
                "b c", spark.StructType([spark.StructField("date", spark.DateType(), metadata={"comment": "it's"})])
            ),
            spark.StructField("comment", spark.StringType(), nullable=False),
        ]
    ),
    "struct<a: int comment 'it''s', b: int comment 'a\\n\\u00e4\\101\\%'>": spark.StructType(
        [
            spark.StructField("a", spark.IntegerType(), metadata={"comment": "it's"}),
            spark.StructField("b", spark.IntegerType(), metadata={"comment": "a\näA\\%"}),
        ]
    ),
    "struct<`back``tick`: int, array: array<int>>": spark.StructType(
        [
            spark.StructField("back`tick", spark.IntegerType()),
            spark.StructField("array", spark.ArrayType(spark.IntegerType())),
        ]
    ),
}
"""Texts that name a type."""

REFUSED = {
    "": "a type is missing at the end",
    "text": "there is no type text; types are *",
    "uuid": "there is no type uuid; *",
    "bigin": "there is no type bigin; did you mean bigint[?]",
    "varchar": "varchar needs a length: varchar(10)",
    "decimal(1,2,3)": ") is expected at ,",
    "decimal(x)": "a whole number is expected at x",
    "decimal(": "a whole number is missing at the end",
    "string(10)": "( follows the end of the type",
    "array": "< is missing at the end",
    "array<int": "> is missing at the end",
    "array<int>>": "> follows the end of the type",
    "map<int>": ", is expected at >",
    "`int`": "a type is expected at int",
    "struct<a: int comment x>": "a comment in quotes is expected at x",
    "struct<a: int not>": "null is expected at >",
    "struct<'a': int>": "the name of a field is expected at a",
    "struct<a: int,>": "the name of a field is expected at >",
    "struct<a: 'x>": "a quote is not closed",
    "geometry(4326": ") after the arguments is missing at the end",
    "string collate": "a collation is missing at the end",
}
"""Texts that name none, with the reason as a pattern."""

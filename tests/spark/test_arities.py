"""How many arguments functions take, as we have it, and as a running Spark says."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from headwater.sql.parsing.arities import TAKEN, wrong_amount

pytestmark = [pytest.mark.spark, pytest.mark.long]

MOST = 7
# As Spark reads `current_date (x)`: a word and a list of names; and `NOT (x, y)`: a word and a row.
REFUSED = ("WRONG_NUM_ARGS", "MULTI_ALIAS_WITHOUT_GENERATOR")


def refused_for_its_amount(spark: SparkSession, name: str, arguments: int) -> bool:
    try:
        spark.sql(f"SELECT {name}({', '.join(['NULL'] * arguments)})")
    except PySparkException as error:
        return str(error.getCondition()).startswith(REFUSED)
    return False


@pytest.mark.parametrize("letter", sorted({name[0] for name in TAKEN}))
def test_what_is_refused_here_spark_refuses(letter: str, spark: SparkSession) -> None:
    """The other way round is less important: what we let pass, Spark refuses at the first push."""
    names = [name for name in TAKEN if name.startswith(letter) and name != "not"]
    wrong = [(name, number) for name in names for number in range(MOST + 1) if wrong_amount(name, number)]
    assert [each for each in wrong if not refused_for_its_amount(spark, *each)] == []

"""One Spark for all tests that need it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from headwater.engine.session import session

# Every random view is another plan: compiling generated code for each would take most of the time.
SETTINGS = {
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


# A JVM that lives minutes is better off compiling quickly than compiling well.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    one = session("tests", "local[2]", SETTINGS)
    yield one
    one.stop()

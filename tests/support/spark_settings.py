"""How Spark runs in tests."""

from __future__ import annotations

# Every random view is another plan: compiling generated code for each would take most of the time.
INTERPRETED = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

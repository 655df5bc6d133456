"""How Spark runs in tests, in this process and in those that tests start."""

from __future__ import annotations

import json

# Every random view is another plan: compiling generated code for each would take most of the time.
INTERPRETED = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def spark_line(**more: str) -> str:
    """The line of a headwater.yml that has a run of its own do the same."""
    config = INTERPRETED | {name.replace("_", "."): value for name, value in more.items()}
    return f'spark: {{master: "local[2]", config: {json.dumps(config)}}}\n'

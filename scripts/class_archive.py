"""Make the archive of Spark's classes (engine/spark/class_archive.py), by a run over the starter project.

`make setup` calls this once. Without the archive everything works, and Spark starts more slowly.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import headwater
from headwater.engine.spark.class_archive import archive
from headwater.engine.spark.jvm import Lifetime, expect
from headwater.starter import write_starter


def run_starter(folder: Path) -> None:
    write_starter(folder, "shop")
    shop = headwater.open(str(folder))
    for file in sorted((folder / "changes").iterdir()):
        shop.ingest_file(file.stem.partition("-")[2], str(file))
        if file.name.startswith("5-"):
            shop.run_until_idle()
    shop.run_until_idle()
    shop.verify()


def main() -> None:
    if archive() is not None:
        return
    print("Preparing Spark's classes, so that it starts faster (half a minute, once) ...", flush=True)
    scratch = tempfile.TemporaryDirectory(prefix="headwater-setup-")
    expect(Lifetime.SHORT, leave_archive=True)
    run_starter(Path(scratch.name) / "shop")


if __name__ == "__main__":
    main()

"""CPU-seconds of a command with everything it starts, the JVM that outlives it included (Linux).

python scripts/cpu_seconds.py .venv/bin/headwater run shop --until-idle
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    # Orphans become our children, so that their time is counted when they end.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    seconds = time.monotonic() - start
    while _reaped():
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.1f} CPU-seconds, {seconds:.1f} seconds", file=sys.stderr)
    return status


def _reaped() -> bool:
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

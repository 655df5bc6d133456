"""CPU-seconds of a command with everything it starts, the JVM that outlives it included (Linux).

python scripts/cpu_seconds.py .venv/bin/headwater run shop --until-idle
"""

from __future__ import annotations

import subprocess
import sys

from headwater.bench.cpu import cost_of_command

if __name__ == "__main__":
    try:
        cost = cost_of_command(sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
    print(f"{cost.cpu_seconds:.1f} CPU-seconds, {cost.seconds:.1f} seconds", file=sys.stderr)

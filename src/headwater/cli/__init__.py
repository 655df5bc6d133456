"""The command line: one file per command, each a thin layer over the Python API.

Commands such as `run` and `serve` live for weeks and use Arrow from many threads.  Arrow's usual allocator,
mimalloc, keeps what one thread allocated and another one freed: a run grew by 12 MB a minute with nothing in
use.  jemalloc gives it back.  Arrow chooses when it is first imported, so that is said before.
"""

import os
import sys

if sys.platform == "linux":  # elsewhere Arrow may come without it
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "jemalloc")

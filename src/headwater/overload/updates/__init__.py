"""Update streams: under overload, which keys are refreshed first, which stale updates are skipped (UpStream).

`UpdateQueue` works on Arrow batches; `simulate` runs a policy over a trace; `WindowRun` does so for windows.
"""

from headwater.overload.updates.delivery import Mode, Pipeline
from headwater.overload.updates.queue import AppendQueue, UpdateQueue
from headwater.overload.updates.run import Outcome
from headwater.overload.updates.simulate import POLICIES, Settings, simulate, trace
from headwater.overload.updates.window_run import simulate_windows
from headwater.overload.updates.windows import WindowSpec

__all__ = [
    "POLICIES", "AppendQueue", "Mode", "Outcome", "Pipeline", "Settings", "UpdateQueue", "WindowSpec",
    "simulate", "simulate_windows", "trace",
]  # fmt: skip

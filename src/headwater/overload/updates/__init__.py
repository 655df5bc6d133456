"""Update streams: which keys are refreshed first under overload, and which stale updates are skipped
(UpStream).

`UpdateQueue` works on Arrow batches; `simulate` runs a policy over a trace, `simulate_windows` a windowed
query.
"""

from headwater.overload.updates.queue.policies import POLICIES
from headwater.overload.updates.queue.update_queue import AppendQueue, UpdateQueue
from headwater.overload.updates.simulation.delivery import Mode, Pipeline
from headwater.overload.updates.simulation.run import Outcome
from headwater.overload.updates.simulation.simulate import Settings, simulate, trace
from headwater.overload.updates.windowed.run import simulate_windows
from headwater.overload.updates.windowed.window_spec import WindowSpec

__all__ = [
    "POLICIES", "AppendQueue", "Mode", "Outcome", "Pipeline", "Settings", "UpdateQueue", "WindowSpec",
    "simulate", "simulate_windows", "trace",
]  # fmt: skip

"""What a push could have found at most, had its selectivities been known: all its rows are followed."""

from __future__ import annotations

import sys

from headwater.algebra.stages.stage import StageKind
from headwater.bench.joins.execution.streams import VIEW, Streams
from headwater.bench.joins.execution.workloads import PUSH_EVERY
from headwater.engine.push.choosing.sample_paths import sample_paths
from headwater.overload.joins.adaptation.allowances import allowances
from headwater.overload.joins.adaptation.learn import Learnt, Seen, learn
from headwater.storage.choosing.probes import probes_since

__all__ = ["optimum"]


def optimum(streams: Streams, probes_per_second: float) -> float:
    """Results of the push that has just ended, with the allowances that are best for what it met."""
    workplace, kept = streams.workplace, streams.workplace.catalog.kept[VIEW]
    window = workplace.catalog.project.views[VIEW].window
    assert window is not None
    at = max(probes.at for probes in probes_since(streams.warehouse, 0))
    arrived = {probes.stream: probes.arrived for probes in probes_since(streams.warehouse, at)}
    stages = [stage for stage in kept.stages if stage.kind is StageKind.PROBES]
    rates = {stream: rows / PUSH_EVERY for stream, rows in arrived.items()}
    tree = Learnt(window.tree).believed(rates, window.seconds)
    samples = sample_paths(workplace, kept, stages, tree, at, sys.maxsize)
    names = dict(zip(tree.streams, arrived, strict=True))
    seen = Seen(at, PUSH_EVERY, arrived, arrived, samples, limited=False)
    known, _ = learn(Learnt(window.tree), seen, window.seconds, "optimal", names)
    plan = known.believed(rates, window.seconds)
    granted = allowances(plan, arrived, PUSH_EVERY, probes_per_second * PUSH_EVERY, "optimal")
    return sum(
        granted[stream] * sample.after[-1] / sample.rows for stream, sample in samples.items() if sample.rows
    )

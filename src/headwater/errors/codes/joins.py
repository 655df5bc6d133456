"""Codes of join adaptation: plans of joins under overload."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW701",
        "There is no such join policy",
        "The name is not one of the policies that allot probes.",
        "Use equal, global-ratio, equal-best, selectivity-best, grepp, jaqpot or optimal.",
    ),
    Code(
        "HW702",
        "A join plan is not JSON",
        "The file cannot be parsed as JSON, or is nested too deeply.",
        "Correct it where the caret points.",
    ),
    Code(
        "HW703",
        "A join plan lacks a field",
        "A plan has streams, states, a tree and resources.",
        "Add the field that the message names.",
    ),
    Code(
        "HW704",
        "A join plan has no resources",
        "Without probes nothing can be joined.",
        "Give the probes a second that the CPU can do, above zero.",
    ),
    Code(
        "HW705",
        "A join plan has nothing to join",
        "The tree is a single stream.",
        'Give a tree of at least two streams: ["A", "B"].',
    ),
    Code(
        "HW706",
        "A stream stands twice in a tree",
        "Every leaf of the tree needs its own name.",
        "For a self-join name the copies apart and declare them with copy_of.",
    ),
    Code(
        "HW707",
        "Two states have one name",
        "The name of a state is made of the names of its streams, and two come out the same.",
        "Rename a stream.",
    ),
    Code(
        "HW708",
        "A tree is not made of pairs",
        "A join has two inputs, each a stream or another join.",
        'Write for example [["A", "B"], "C"].',
    ),
    Code(
        "HW709",
        "A tree names an unknown stream",
        "The stream is not described under `streams`.",
        "Correct the name, or describe the stream.",
    ),
    Code(
        "HW710",
        "A copy of an unknown stream",
        "copy_of names a stream that is not described.",
        "Correct the name.",
    ),
    Code(
        "HW711",
        "A stream has no rate",
        "Every stream has a rate, in tuples a second, or null for no cap.",
        "Add the rate.",
    ),
    Code(
        "HW712",
        "A state is missing",
        "Every stream and intermediate result has a state, with a size and a selectivity.",
        "Add it under `states`.",
    ),
    Code(
        "HW713",
        "A state has no selectivity",
        "The selectivity of a state is the share of pairs that match.",
        "Give the state a selectivity from 0 to 1.",
    ),
    Code(
        "HW714",
        "A selectivity above 1",
        "A selectivity is the share of pairs that match.",
        "Give a number from 0 to 1.",
    ),
    Code(
        "HW715",
        "A state has no size, or two",
        "A state has either a size in tuples or a window in seconds.",
        "Give one of them.",
    ),
    Code(
        "HW716",
        "A state's size is unknown",
        "The size of a time window follows from its stream's rate, and the stream has none.",
        "Give the stream a rate, or the state a size.",
    ),
    Code(
        "HW717",
        "A tolerance below its window",
        "A tuple may join for as long as it is in its window, so results can be that old.",
        "Give a tolerance above the window, or a smaller window.",
    ),
    Code(
        "HW718", "An object is expected", "This part of a join plan is a JSON object.", "Write {...} there."
    ),
    Code(
        "HW719",
        "A join plan has an unknown field",
        "The object does not have a field of that name.",
        "Correct its spelling; the message suggests the nearest one.",
    ),
    Code("HW720", "A number is expected", "This part of a join plan is a number.", "Write a number there."),
    Code(
        "HW721",
        "A number is out of range",
        "The number is negative, or zero where it may not be.",
        "Give a number above zero.",
    ),
    Code(
        "HW722",
        "Tuples cannot be drawn",
        "--tuples draws tuples at the rate of every stream, and one has none.",
        "Give the stream a rate.",
    ),
)

"""Codes of `headwater simulate weave`: workloads of window aggregates."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW501",
        "A window's range or slide cannot be used",
        "Ranges and slides are whole numbers above zero, or intervals.",
        "Write 6, '6 seconds' or '250 ms'.",
    ),
    Code(
        "HW502",
        "A workload is not JSON",
        "The file cannot be parsed as JSON.",
        "Correct it where the caret points.",
    ),
    Code(
        "HW503",
        "A workload lacks a field or has a wrong one",
        "A workload is an object with queries (each with id, range and slide), nodes and a rate.",
        "Add or correct the field that the message names.",
    ),
    Code(
        "HW504",
        "A workload's rate cannot be used",
        "The rate is how many tuples arrive per unit of time: a number that is not negative.",
        "Correct the rate.",
    ),
    Code(
        "HW505",
        "A workload's nodes cannot be used",
        "Nodes are a number above zero, or a list of nodes with their capacities.",
        "Correct `nodes`.",
    ),
    Code("HW506", "Two nodes have one name", "Every node needs its own name.", "Rename one of them."),
    Code(
        "HW507",
        "A node's capacity cannot be used",
        "Capacities are numbers above zero.",
        "Correct the capacity, or leave it out.",
    ),
    Code("HW508", "Two window queries have one name", "Every query needs its own id.", "Rename one of them."),
    Code(
        "HW509",
        "There is no such optimizer",
        "The name is not one of the optimizers that weave windows.",
        "Correct the name; the message suggests the nearest one.",
    ),
    Code(
        "HW510",
        "There is no such window query in the plan",
        "The plan or tree was made without a query of that name.",
        "Use a query of the plan, or add this one first.",
    ),
    Code(
        "HW511",
        "A slide is too large to be factored",
        "Exact edge rates need the prime factors of every slide.",
        "Use a coarser unit: milliseconds rather than nanoseconds.",
    ),
    Code(
        "HW512",
        "There is no such objective",
        "Plans are made for the least total cost or for the least maximum of a node.",
        "Use total or balanced.",
    ),
    Code(
        "HW514",
        "A window query has no answer at that time",
        "A query answers at the multiples of its slide only.",
        "Ask at a multiple of the slide.",
    ),
)

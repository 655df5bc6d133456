"""Codes of update streams: traces, queues and their policies."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW600",
        "A trace does not exist",
        "There is no CSV file of updates or weights at that path.",
        "Check the path.",
    ),
    Code(
        "HW601",
        "A trace lacks a column",
        "The first line of a trace names its columns: time,key.",
        "Add the column, or rename the one that is meant.",
    ),
    Code("HW602", "A trace is empty", "The file holds no updates.", "Add rows below its first line."),
    Code(
        "HW603",
        "A trace goes back in time",
        "Updates must stand in the order of their times.",
        "Sort the file by time, for example with `sort -t, -k1,1g`.",
    ),
    Code(
        "HW604",
        "A row of a trace cannot be read",
        "Each row holds a time in seconds, not below zero, and a key.",
        "Correct the line that the message names.",
    ),
    Code(
        "HW605",
        "Weights cannot be read",
        "A file of weights has the columns key and weight, and weights are above zero.",
        "Correct the file as the message says.",
    ),
    Code(
        "HW610",
        "There is no such update policy",
        "The name is not a policy, or not one of a queue.",
        "Use append, shed, fifo, inplace, linecut or best.",
    ),
    Code("HW611", "A negative cost", "An update cannot take less than no time.", "Give --cost 0 or more."),
    Code(
        "HW612",
        "A fraction out of range",
        "The fraction of updates that shedding keeps lies between 0 and 1.",
        "Correct --keep, or leave it out.",
    ),
    Code("HW613", "A horizon of no length", "A run must end after time 0.", "Give a horizon above 0."),
    Code(
        "HW620",
        "A queue's key is not a column",
        "An update queue is keyed by columns of its table.",
        "Use one of the columns that the message lists.",
    ),
    Code(
        "HW621",
        "Not a saved update queue",
        "The table that was to be loaded was not written by an update queue.",
        "Load a table that a queue saved.",
    ),
    Code(
        "HW630",
        "A window of no length",
        "The size and the slide of a window are above 0.",
        "Correct --window or --slide.",
    ),
    Code(
        "HW631",
        "A slide longer than its window",
        "Tuples between two windows would belong to none.",
        "Choose a slide of at most the window's size.",
    ),
    Code(
        "HW632",
        "A tick that does not fit its window",
        "Time moves in ticks, and a window is at least one tick long.",
        "Choose a shorter --tick.",
    ),
    Code("HW633", "There is no such window semantics", "Windows are lazy or eager.", "Use lazy or eager."),
    Code("HW634", "A slide without a window", "--slide is for windows.", "Add --window."),
    Code(
        "HW635",
        "Windows need an update queue",
        "append and shed do not queue updates by key.",
        "Use fifo, inplace, linecut or best.",
    ),
    Code(
        "HW637",
        "Weights do not apply to windows",
        "Windows are not weighted by key.",
        "Leave --weights or --window out.",
    ),
    Code(
        "HW640",
        "Updates out of order",
        "The updates of a key must come in ascending time.",
        "Sort them by time.",
    ),
)

"""Codes of the command line itself."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW001",
        "An option has a value that cannot be used",
        "The value is not what the option takes (a duration, an instant, a number), or is out of range.",
        "Durations are written 10s, 500ms, 2m or 1h30m; instants 2026-01-31 or 2026-01-31T12:00. The message"
        " names the option and its limits.",
    ),
    Code(
        "HW002",
        "The operating system refused an operation",
        "A disk is full, a folder may not be written, or a file disappeared while it was in use.",
        "Correct what the message names and run the command again; what was committed before is kept.",
    ),
    Code(
        "HW003",
        "Options contradict each other",
        "Two options say the same thing differently, or an option needs another one that was not given.",
        "Leave one of them out, or add the one that is missing.",
    ),
    Code(
        "HW004",
        "The command line cannot be understood",
        "A command, an argument or an option is missing, unknown or of the wrong kind.",
        "`headwater COMMAND --help` lists the arguments and options of a command, with examples.",
    ),
    Code(
        "HW005",
        "A file cannot be read",
        "A file named on the command line does not exist, may not be read, or is not UTF-8 text.",
        "Check the path and its permissions; save the file as UTF-8.",
    ),
    Code(
        "HW006",
        "A file cannot be written",
        "The folder of an output file does not exist, may not be written, or its disk is full.",
        "Create the folder, or name another file.",
    ),
    Code(
        "HW007",
        "There is no such error code",
        "`headwater errors` was asked for a code that Headwater does not use.",
        "`headwater errors` lists all codes.",
    ),
    Code(
        "HW861",
        "A file of views does not exist",
        "`headwater add` and `headwater plan --with` take a file of SQL, and there is none at this path.",
        "Check the path.",
    ),
    Code(
        "HW862",
        "A file is part of the project already",
        "`headwater add` and `headwater plan --with` take a file from outside the project's folder; the files"
        " inside it belong to the project as they are.",
        "Move it elsewhere. To price a view without keeping it, write EXPLAIN CREATE MATERIALIZED VIEW.",
    ),
    Code(
        "HW863",
        "A file declares no view",
        "`headwater add` and `headwater plan --with` need at least one CREATE MATERIALIZED VIEW.",
        "Write one into the file, or name another file.",
    ),
    Code(
        "HW864",
        "A picture has an unknown format",
        "The format of a picture follows from the ending of its file's name.",
        "End the name in .svg, .png or .pdf.",
    ),
    Code(
        "HW865",
        "The demo's folder holds something else",
        "`headwater demo` replaces the folder of an earlier demo and nothing else.",
        "Choose another folder with --dir.",
    ),
    Code(
        "HW866",
        "The demo's folder is in use",
        "A run is keeping the views of an earlier demo in this folder.",
        "Stop that run, or choose another folder with --dir.",
    ),
    Code(
        "HW867",
        "A generated row was rejected",
        "Headwater's own generator of demo or benchmark data made a row that its table rejects: a bug.",
        "Please report it with the seed that was used.",
    ),
    Code(
        "HW890",
        "There is nothing to draw",
        "No audit snapshot lies in the period, so there is no staleness to draw.",
        "Keep the views with `headwater run`, or choose a longer period with --last.",
    ),
)

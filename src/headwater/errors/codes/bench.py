"""Codes of `headwater bench`."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW414",
        "A bench found a wrong view",
        "A view is not equal to what another engine answers over the same rows. This is a bug.",
        "Please report it with the seed; --keep leaves the project in place where the bench has it.",
    ),
    Code(
        "HW415",
        "Filling a bench's project failed",
        "The process that loads the first rows ended with an error.",
        "The detail holds its last lines.",
    ),
    Code(
        "HW416",
        "Recorded data is not there",
        "The experiment replays recorded check-ins that are not part of Headwater.",
        "Set HEADWATER_DATA to the folder that holds them, or use the generated load.",
    ),
    Code(
        "HW417",
        "A bench ended early",
        "The run was stopped, or the process that feeds it ended, before the load was over.",
        "Run it again; the message says which.",
    ),
    Code(
        "HW418",
        "A bench needs another package",
        "The experiment compares with DuckDB or starts a PostgreSQL server, which is not installed.",
        "Install the package that the hint names.",
    ),
    Code(
        "HW419",
        "There is no such experiment",
        "The bench does not have an experiment of that name.",
        "Use one of those that the message lists.",
    ),
)

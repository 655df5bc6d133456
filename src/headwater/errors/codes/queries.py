"""Codes of `headwater check`: queries that are to stay bounded."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW401",
        "A query reads an unknown table",
        "No CREATE TABLE or view of that name stands in the files that are checked.",
        "Correct the name, or pass the file that declares the table as well.",
    ),
    Code(
        "HW402",
        "A query names an unknown column or alias",
        "No source of the query has the column, or no source has the alias.",
        "Correct the name; the message suggests the nearest one.",
    ),
    Code(
        "HW403",
        "Two sources of a query have one name",
        "The same table or alias stands twice in FROM.",
        "Give one of them an alias.",
    ),
    Code(
        "HW404",
        "There is no such level",
        "--fail-on takes one of the levels of scale independence.",
        "Use SI-0, SI-1, SI-2, SI-3 or unbounded.",
    ),
    Code(
        "HW405",
        "There is no query to check",
        "The files hold no CREATE QUERY and no SELECT, or the folder holds no SQL file.",
        "Write CREATE QUERY name AS SELECT ..., or a SELECT under the comment `-- name: x`.",
    ),
    Code(
        "HW407",
        "There is no such query",
        "None of the files declares a query of that name.",
        "Correct the name; the message suggests the nearest one.",
    ),
    Code(
        "HW409",
        "There is no such SQL dialect",
        "--dialect takes the name of a dialect that sqlglot reads.",
        "Use for example postgres, mysql or spark.",
    ),
    Code(
        "HW410",
        "A query is unbounded",
        "The work of the query grows with the data. (A finding in SARIF reports, not an error.)",
        "Follow the advice of `headwater check`: a limit, an index, a cardinality or a view.",
    ),
    Code(
        "HW411",
        "A query was not analysed",
        "The query uses SQL whose bound Headwater cannot prove. (A finding in SARIF reports.)",
        "Rewrite the part that the reason names.",
    ),
    Code(
        "HW412",
        "A query needs a periodic refresh",
        "The query is bounded only by a periodic parallel refresh (SI-3). (A finding in SARIF reports.)",
        "Accept the staleness of the refresh, or bound what the query reads.",
    ),
    Code(
        "HW413",
        "A bound rests on an assumption",
        "The bound of the query uses a constraint that nobody declared. (A finding in SARIF reports.)",
        "Declare the constraint, so that it is checked.",
    ),
    Code(
        "HW420",
        "A search text holds several words",
        "The bound of the query counts on one word, as its parameter's name says, and got none or several.",
        "Pass one word, or search by TOKEN(column) = :word.",
    ),
)

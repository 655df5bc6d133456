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
    Code(
        "HW430",
        "A project has no such query",
        "No CREATE QUERY, and no SELECT under a comment `-- name: x`, of the project has that name.",
        "Correct the name; `headwater query DIR` lists the project's queries.",
    ),
    Code(
        "HW440",
        "A parameter on the command line cannot be read",
        "Parameters of `headwater query` are written key=value, or key:=JSON.",
        "Write key=value; for NULL, key:=null; for a list, repeat the key.",
    ),
    Code(
        "HW441",
        "The store's database does not answer",
        "`store` in headwater.yml names a PostgreSQL database that cannot be reached or refuses the user.",
        "See that the server is up and lets the user in; without `store`, SQLite in the warehouse is used.",
    ),
    Code(
        "HW442",
        "The store is damaged",
        "The file that queries are answered from cannot be read: it was cut short or overwritten.",
        "Start a run: it loads the store again. Nothing is lost, as the store holds copies only.",
    ),
    Code(
        "HW443",
        "The store cannot be read where nothing may be written",
        "A writer of the store was killed; what it left beside the file must be taken in before it is read.",
        "Let a run start and end once by a user who may write, or copy the folder `store` to where you may.",
    ),
    Code(
        "HW431",
        "A parameter of a query has no value",
        "Every parameter of a query needs a value, which may be NULL.",
        "Give it as name=value; NULL is written name:=null.",
    ),
    Code(
        "HW432",
        "A query has no such parameter",
        "A value was given for a name that does not stand in the query.",
        "Correct the name; the message lists the query's parameters.",
    ),
    Code(
        "HW433",
        "A parameter's value has the wrong type",
        "A value is read as the type of the column that the parameter meets in the query.",
        "Write a value of that type; a list is given by repeating the parameter.",
    ),
    Code(
        "HW434",
        "An unbounded query is not answered",
        "The work of the query grows with the data, so the store does not keep what it would need.",
        "Follow the advice, or declare it CREATE QUERY ... ALLOW UNBOUNDED WITHIN INTERVAL '2' SECOND.",
    ),
    Code(
        "HW435",
        "The store does not hold what a query reads",
        "No run has loaded the query's tables, indexes and views, or the query has changed since.",
        "Start the run, `headwater run DIR`, or let it apply all: `headwater run DIR --until-idle`.",
    ),
    Code(
        "HW436",
        "The store is staler than was asked for",
        "The store's time is further in the past than --max-staleness allows. A query never waits.",
        "Ask without a limit, or see `headwater status` for what keeps the store from advancing.",
    ),
    Code(
        "HW437",
        "A query took longer than it may",
        "The query is unbounded and was stopped at the end of its WITHIN interval.",
        "Allow it more time, or bound what it reads.",
    ),
    Code(
        "HW438",
        "A query is bounded, but uses a function that the store cannot compute",
        "The executor of bounded plans knows fewer functions than Spark.",
        "Rewrite the expression that the message names, or declare the query ALLOW UNBOUNDED WITHIN ...",
    ),
    Code(
        "HW439",
        "Data break what a bound assumes",
        "The plan of the query rests on a reference, a maximum or a form of a parameter that does not hold.",
        "Mend the rows or the parameter that the message names, or declare what really holds.",
    ),
)

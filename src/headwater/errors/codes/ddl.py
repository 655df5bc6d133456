"""Codes of the statements in a project's SQL files: CREATE TABLE, CREATE MATERIALIZED VIEW, CREATE QUERY."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW100",
        "A statement is not well-formed",
        "A word is missing or unexpected, or a string, a quoted name or a comment is never closed.",
        "Correct the statement where the caret points.",
    ),
    Code(
        "HW101",
        "An unknown statement",
        "A file may hold CREATE TABLE, CREATE MATERIALIZED VIEW, CREATE QUERY, EXPLAIN CREATE MATERIALIZED"
        " VIEW and named SELECTs.",
        "Rewrite it as one of these, or remove it. Rows come from a table's source or `headwater ingest`.",
    ),
    Code(
        "HW102",
        "An unknown clause or column option",
        "The statement does not have this clause, or the column does not have this option.",
        "The message lists what may stand here.",
    ),
    Code(
        "HW103",
        "Something is given twice or contradicts itself",
        "A clause or property stands twice, or a clause and the property of the same meaning disagree.",
        "Keep one of the two, or make them agree.",
    ),
    Code(
        "HW104",
        "A name is declared twice",
        "Tables, views and queries of a project share one namespace, and names are compared without case.",
        "Rename one of the two.",
    ),
    Code(
        "HW105",
        "A column is listed twice",
        "A column is declared twice in a table, or stands twice in a key or another list of columns.",
        "Remove or rename one of the two.",
    ),
    Code(
        "HW106",
        "A declaration names an unknown column",
        "A key, a limit, a property or an expectation names a column that the table does not have.",
        "Correct the name, or declare the column.",
    ),
    Code(
        "HW107",
        "A column's type cannot be used",
        "The type is unknown, is not a scalar, or is a decimal with too many digits.",
        "Use one of the scalar types of docs/sql.md; keep a nested value as a STRING or in several columns.",
    ),
    Code(
        "HW108",
        "An interval cannot be used",
        "The interval is not well-formed, not positive, or has no fixed length (months and years).",
        "Write INTERVAL '10' SECOND, '5' MINUTE, '1' HOUR or '1' DAY.",
    ),
    Code(
        "HW109",
        "A name cannot be used",
        "The name has characters that cannot be stored, is too long, is qualified by a schema, or is reserved"
        " for Headwater's own columns.",
        "Choose a name of letters, digits and underscores; rename a column of a view with AS.",
    ),
    Code(
        "HW110",
        "A column cannot be TEMPORAL",
        "TEMPORAL says that values grow as time passes, so only types that are ordered in time may have it.",
        "Use TIMESTAMP, TIMESTAMP_NTZ, DATE, BIGINT or INT, or leave TEMPORAL out.",
    ),
    Code(
        "HW111",
        "A clause has a value that cannot be used",
        "A number is out of range, or a word is not among the choices of its clause.",
        "The message says what is expected.",
    ),
    Code(
        "HW112",
        "An unknown property",
        "A key of TBLPROPERTIES starts with `headwater.` but is not a property of this statement.",
        "Correct its name; docs/sql.md lists the properties.",
    ),
    Code(
        "HW113",
        "A SELECT cannot be parsed",
        "The SELECT is not valid SQL, selects nothing, is nested too deeply, or calls a function with a wrong"
        " number of arguments.",
        "Correct it where the caret points.",
    ),
    Code(
        "HW114",
        "A view has a parameter",
        "A view is kept for everybody, so its SELECT cannot depend on a parameter.",
        "Make the parameter a column of the view and declare a CREATE QUERY that filters on it.",
    ),
    Code(
        "HW115",
        "A SELECT has no name",
        "A SELECT that stands alone in a file is a query, and queries have names.",
        "Write CREATE QUERY name AS before it, or the comment `-- name: x` above it.",
    ),
    Code(
        "HW116",
        "A table's provider is missing or unknown",
        "USING names a provider that Headwater does not have, or OPTIONS are given without USING.",
        "Use api, files, postgres or stream.",
    ),
    Code(
        "HW117",
        "A table's columns or keys are incomplete",
        "A table has no columns, has two primary or update keys, or limits a cardinality off its key.",
        "Declare the columns; write a key of several columns as PRIMARY KEY (a, b).",
    ),
    Code(
        "HW120",
        "A SELECT reads something that is not declared",
        "The project has no table or view of that name; queries and schemas cannot be read.",
        "Correct the name, or declare the table or view.",
    ),
    Code(
        "HW121",
        "Views read each other in a circle",
        "A view reads itself, perhaps through other views, so none of them could be computed first.",
        "Take one of the references out.",
    ),
    Code(
        "HW122",
        "A foreign key cannot be used",
        "It references a table or column that does not exist, columns that are not a key, or another type.",
        "Reference a PRIMARY KEY or UNIQUE columns of the same types.",
    ),
    Code(
        "HW123",
        "An unknown site",
        "A table, view or plan names a site that headwater.yml does not declare.",
        "Correct the name, or declare the site under `sites:`.",
    ),
    Code(
        "HW124",
        "A DEFAULT does not fit its column",
        "A default is a constant of the column's type, or NULL.",
        "Write a constant of that type: 0, 'none', FALSE, DATE '2026-01-31'.",
    ),
    Code(
        "HW126",
        "RETAIN cannot be used here",
        "A source can drop old rows only if a TEMPORAL column tells their age, nothing references them, and"
        " nobody else decides which rows there are. A view can if the window that it groups by, or the column"
        " that ON names, tells the age of its rows.",
        "Declare a TIMESTAMP or DATE column TEMPORAL, or leave RETAIN out and filter old rows in a view; in a"
        " view, name a column of its SELECT after ON.",
    ),
    Code(
        "HW127",
        "WINDOW or TOLERANCE cannot be used here",
        "A window join is an inner join of tables, each with one TEMPORAL column that says when a row is; a"
        " tolerance belongs to one of them and is at least as long as the window.",
        "Declare a TIMESTAMP column of each table TEMPORAL, join tables with JOIN, and name them in TOLERANCE"
        " as FROM does.",
    ),
    Code(
        "HW128",
        "WATERMARK cannot be used here",
        "Which rows come too late is told by a TEMPORAL column that is a TIMESTAMP, and decided when a row is"
        " captured. A table that is captured from PostgreSQL holds what PostgreSQL holds.",
        "Declare a TIMESTAMP column TEMPORAL, name it after ON if there are several, or leave WATERMARK out.",
    ),
    Code(
        "HW139",
        "A view cannot keep what it derives from old rows",
        "A table with RETAIN INTERVAL ... KEEP DERIVED drops old rows without its views noticing. That is"
        " possible for views that filter, project, count and add exactly; joins and other aggregates need the"
        " old rows again.",
        "Let the view read a view over that table alone, which keeps the rows; or leave KEEP DERIVED out.",
    ),
    Code(
        "HW140",
        "A view that reads EVERY CHANGE reads one that shows what was chosen",
        "Under overload such a view lacks the updates that were superseded, and so would every view over it.",
        "Declare the view below REFRESH EVERY CHANGE as well, or read the table itself.",
    ),
    Code(
        "HW141",
        "Windows cannot be shown whole",
        "ON OVERLOAD UPDATES ... WINDOWS needs a TEMPORAL timestamp beside the UPDATE KEY, and views whose"
        " windows do not overlap.",
        "Declare the column TEMPORAL, name it after ON if there are several; group by window(time, size).",
    ),
)

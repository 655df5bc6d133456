"""Codes of the warehouse, of Spark and of keeping views."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW801",
        "Another process changed a table",
        "Two writers committed to one Delta table at the same time; this one lost.",
        "Nothing was written by the loser; it is tried again by itself where that is safe.",
    ),
    Code(
        "HW802",
        "There is no Delta table",
        "Nothing has been stored at that path yet.",
        "Run the project once, or look at `storage` in headwater.yml.",
    ),
    Code(
        "HW803",
        "The warehouse cannot be used",
        "The warehouse's folder may not be read and written by this user.",
        "Change its permissions, or `storage` in headwater.yml.",
    ),
    Code(
        "HW804",
        "History is no longer there",
        "A relation was asked for as of a time before its compacted history.",
        "Ask for a later time.",
    ),
    Code(
        "HW805",
        "A table is damaged",
        "A file of its log or a data file is torn or missing, as a power cut or a failing disk leave it.",
        "Start a run: it computes stages anew and sets records aside. Restore a source from a backup.",
    ),
    Code(
        "HW806",
        "A commit is stored, but may not outlast a power cut",
        "The disk did not confirm that the commit is on it, after the commit had become visible.",
        "Do not send the same records again: they are stored. Look after the disk.",
    ),
    Code(
        "HW810",
        "The client of Spark Connect is missing",
        "A site runs on a Spark Connect server, and the packages for it are not installed.",
        "pip install 'headwater[connect]'",
    ),
    Code(
        "HW811",
        "Not the address of a Spark Connect server",
        "The site's `spark:` cannot be used as an address.",
        "Write sc://host:port.",
    ),
    Code(
        "HW812",
        "Two Sparks in one process",
        "One process holds one Spark of its own; a site names another master beside it.",
        "Start a Spark Connect server there and give the site its address: spark: sc://host:15002.",
    ),
    Code(
        "HW813",
        "There is no Java that Spark can use",
        "Spark runs on Java 17 or newer: the one that JAVA_HOME names, else `java` on the PATH.",
        "Install openjdk-17-jre-headless (Debian) or any JDK, or set JAVA_HOME to the folder of one.",
    ),
    Code(
        "HW814",
        "Spark does not start",
        "The master cannot be reached, a setting under `spark:` is wrong, or too few files may be open.",
        "Correct `spark:` in headwater.yml; spark.log in the warehouse has what Spark printed.",
    ),
    Code(
        "HW815",
        "A calibration cannot be used",
        "calibration.json is not what `headwater calibrate` writes, or names unknown operators.",
        "Calibrate again, or delete the file to use the defaults.",
    ),
    Code(
        "HW820",
        "A view cannot be verified yet",
        "The view has never been computed, so there is nothing to compare.",
        "Run the project first: headwater run DIR --until-idle.",
    ),
    Code(
        "HW821",
        "A view has no rows yet",
        "The view has never been computed.",
        "Start the run: headwater run DIR.",
    ),
    Code(
        "HW822",
        "A view is staler than asked for",
        "The view's time, or under overload what it shows of some key, is older than --max-staleness allows.",
        "Read without --max-staleness; `headwater status` shows what keeps the view from advancing.",
    ),
    Code(
        "HW823",
        "An ad hoc query failed",
        "DuckDB, which answers `headwater sql`, refused the query or failed while it ran.",
        "Correct what the message names. A function that only Spark has can be used in a view.",
    ),
    Code(
        "HW824",
        "A view or a source cannot be read as of an instant",
        "Its history does not reach back that far, or the instant is in the future.",
        "Read it as of a later instant; `retention: {history: 7 days}` in headwater.yml keeps more of it.",
    ),
    Code(
        "HW825",
        "A view fails and has no rows yet",
        "Every push of the view failed: its SQL fails for a row, or a relation that it reads cannot be read.",
        "Mend the row or the view that the message names; a run tries again by itself.",
    ),
    Code(
        "HW826",
        "Changes of a view are no longer stored",
        "A reader of changes asked for some from before the view's history, or was away for too long.",
        "Read the view, then its changes since that time; `retention: {history: 7 days}` keeps more.",
    ),
    Code(
        "HW830",
        "Another run keeps this project",
        "Only one run keeps a project at a time.",
        "Stop the other run first. status, read, ingest and verify work beside it.",
    ),
    Code(
        "HW831",
        "A capture failed",
        "Changes of a table could not be captured while a run was to apply all of them.",
        "Correct what the message names; logs/headwater.log in the warehouse has the traceback.",
    ),
    Code(
        "HW832",
        "Views could not be pushed",
        "Some pushes failed; the other views are up to date.",
        "See the errors of the views; logs/headwater.log in the warehouse has the tracebacks.",
    ),
    Code(
        "HW833",
        "A view waits for its sources",
        "What the view shares with others is ahead of what its own sources have captured.",
        "It is tried again by itself; if this stays, look at the errors of the captures.",
    ),
    Code(
        "HW835",
        "The store of the project's queries could not be brought up to date",
        "Applying changes to the store failed; its queries are answered as of its earlier time.",
        "Read logs/headwater.log in the warehouse; `headwater verify DIR --store --repair` loads it anew.",
    ),
    Code(
        "HW834",
        "A row makes a view fail",
        "An expression of the view has no value for a row that is there: a division by zero, a text that is"
        " no number, an overflow. The view stays as it was before that row; other views go on.",
        "Write the expression as the message says (try_divide, try_cast, NULLIF), or mend or delete the row:"
        " the view then recovers by itself.",
    ),
    Code(
        "HW840",
        "A stream without a format",
        "A table USING stream needs to know which stream.",
        "Add OPTIONS (format 'kafka', ...): any format that Spark's readStream takes.",
    ),
    Code(
        "HW841",
        "A stream lacks columns",
        "The stream does not have all columns that the table declares.",
        "Rename the stream's columns, or declare the table like the stream.",
    ),
)

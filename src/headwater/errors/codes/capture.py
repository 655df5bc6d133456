"""Codes of capture: records, files and PostgreSQL."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW845",
        "A table is stored with other columns",
        "The declaration of the table changed after rows had been captured.",
        "Declare it as it is stored, or give the new table another name and feed it anew.",
    ),
    Code(
        "HW847",
        "Many records in a row are wrong",
        "A hundred neighbours of a file were rejected: its format, its columns or its table is another one.",
        "Correct what the message names as the likely cause; nothing was stored.",
    ),
    Code(
        "HW848",
        "A file has another format",
        "The file is not what its ending, or --format, says.",
        "Use --format jsonl, csv or parquet.",
    ),
    Code(
        "HW850",
        "A line is not JSON",
        "A file of JSON lines holds one object per line.",
        "Correct the line; nothing of the file was ingested.",
    ),
    Code(
        "HW851",
        "A record has an unknown column",
        "The table does not declare the column.",
        "Correct the name, or declare the column.",
    ),
    Code(
        "HW852",
        "A column of a batch has the wrong type",
        "The values do not fit the type that the table declares.",
        "Cast the column before ingesting it.",
    ),
    Code(
        "HW853",
        "A file of changes cannot be read",
        "The file does not exist, or may not be read.",
        "Check the path and its permissions.",
    ),
    Code(
        "HW854",
        "A table takes no records",
        "The table is captured from PostgreSQL, which alone says what it holds.",
        "Write to PostgreSQL; the change arrives by replication.",
    ),
    Code(
        "HW855",
        "A record is wrong",
        "Strict ingestion rejects the whole batch for one wrong record.",
        "Correct the record; nothing was written.",
    ),
    Code(
        "HW856",
        "A file is not CSV",
        "The file cannot be parsed near the line that the message names, or no line names its columns.",
        "Correct the line.",
    ),
    Code(
        "HW857",
        "Wrong options of USING files",
        "A table of files needs a path, a known format and a number of seconds to settle.",
        "Write USING files OPTIONS (path 'incoming', format 'jsonl').",
    ),
    Code(
        "HW858",
        "A watched folder cannot be read",
        "The folder does not exist, or may not be read.",
        "Create it, or change its permissions. It is tried again while a run goes on.",
    ),
    Code(
        "HW860",
        "The warehouse could not be written",
        "A disk is full, or the storage failed, while captured changes or views were written.",
        "Free some space, or mend the storage; nothing was committed, and it can be tried again.",
    ),
    Code(
        "HW868",
        "A batch id is empty",
        "A batch id names one call, so that a repetition of it is recognised.",
        "Use a name that no other batch has: a date, a file's name, a counter.",
    ),
    Code(
        "HW859",
        "A table has an option that its source does not know",
        "A name in OPTIONS is misspelt or of another kind of source, or its value is none that it can have.",
        "Correct it; the message lists what there is.",
    ),
    Code(
        "HW870",
        "PostgreSQL is not reachable",
        "The server does not answer, or refuses the connection.",
        "Start it, or correct the uri. It is tried again; views grow stale meanwhile.",
    ),
    Code(
        "HW871",
        "PostgreSQL does not write what replication needs",
        "Logical replication needs wal_level = logical.",
        "ALTER SYSTEM SET wal_level = 'logical', then restart the server.",
    ),
    Code(
        "HW872",
        "A PostgreSQL address is missing or wrong",
        "A table USING postgres needs a uri such as postgresql://user@host/database.",
        "Correct the uri in OPTIONS.",
    ),
    Code(
        "HW873",
        "PostgreSQL's table lacks a column",
        "The table declares a column that the captured one does not have.",
        "Correct the name, or rename it with OPTIONS (rename 'declared=in_postgresql').",
    ),
    Code(
        "HW874",
        "A column has another type in PostgreSQL",
        "The declared type cannot hold the values of the captured column.",
        "Declare one of the types that the message lists.",
    ),
    Code(
        "HW875",
        "PostgreSQL's table has no usable key",
        "Updates and deletes are captured by key, and the key is missing or not declared.",
        "Declare the key, give the table a PRIMARY KEY, or ALTER TABLE ... REPLICA IDENTITY FULL.",
    ),
    Code(
        "HW876",
        "A permission is missing in PostgreSQL",
        "Capturing needs REPLICATION, SELECT on the tables, and ownership of them for the publication.",
        "Grant them to the user of the uri.",
    ),
    Code(
        "HW877",
        "The replication slot is in use",
        "Another session reads the slot of this project.",
        "Stop the other capture of this project.",
    ),
    Code(
        "HW878",
        "PostgreSQL reported an error",
        "The server refused an operation of the capture; the message is its own.",
        "Correct what it names.",
    ),
    Code(
        "HW879",
        "PostgreSQL has no free replication slot",
        "max_replication_slots are in use.",
        "Raise it, or drop slots that nobody reads.",
    ),
    Code(
        "HW880",
        "The replication stream cannot be understood",
        "PostgreSQL sent a message that the decoder does not know.",
        "Please report it with the version of the server.",
    ),
    Code(
        "HW883",
        "There is no such table in PostgreSQL",
        "The table that is to be captured does not exist, or is a view.",
        "Correct OPTIONS (table 'schema.name').",
    ),
    Code(
        "HW884",
        "A PostgreSQL table is captured twice",
        "Two tables of the project capture the same one.",
        "Capture it once and make a view of it.",
    ),
    Code(
        "HW885",
        "A rename cannot be used",
        "OPTIONS (rename ...) pairs declared columns with those of PostgreSQL.",
        "Write rename 'declared=in_postgresql, ...'.",
    ),
    Code(
        "HW886",
        "The publication leaves something out",
        "The publication under the slot's name filters rows, columns or operations, or sends changes of "
        "partitions under their own names.",
        "Alter the publication as the message says; filter in a view.",
    ),
    Code(
        "HW887",
        "A generated column is not replicated",
        "PostgreSQL before 18 does not send the values of generated columns.",
        "Leave the column out of the declaration and compute it in a view.",
    ),
    Code(
        "HW888",
        "PostgreSQL's table cannot be captured completely",
        "It is unlogged, other tables inherit from it, row level security hides rows, or a partition is a "
        "foreign table or has another replica identity.",
        "Alter the table as the message says.",
    ),
    Code(
        "HW889",
        "A capture failed unexpectedly",
        "An error that nobody foresaw ended a poll; the other sources go on. This is a bug.",
        "Please report it with the traceback from logs/headwater.log in the warehouse.",
    ),
    Code(
        "HW950",
        "A captured column, table or publication was declared or altered",
        "PostgreSQL does not send the rows that it converts or fills when a column is altered or added, nor"
        " what changes while a table has another name or its publication leaves something out.",
        "Nothing: the table is compared with a new snapshot, and what differs is its next change.",
    ),
    Code(
        "HW951",
        "PostgreSQL's table has a new column",
        "A column was added in PostgreSQL that the project does not declare; it is not captured.",
        "Declare the column to capture it: the values that rows have in PostgreSQL are read then.",
    ),
    Code(
        "HW952",
        "PostgreSQL's log may grow without limit",
        "While nothing is captured the slot retains the server's log, and max_slot_wal_keep_size is -1.",
        "Limit it in the server, or drop the slot with `headwater capture DIR --drop` before a long pause.",
    ),
    Code(
        "HW953",
        "The value of max_slot_lag is not a size",
        "OPTIONS (max_slot_lag ...) is a number of bytes, with kB, MB, GB or TB.",
        "Write for example max_slot_lag '20 GB'.",
    ),
    Code(
        "HW954",
        "A partitioned table has limits",
        "PostgreSQL does not replicate ATTACH, DETACH or TRUNCATE of a single partition.",
        "After one, run `headwater capture DIR --drop`: the next run compares all rows.",
    ),
    Code(
        "HW955",
        "The slot and the warehouse do not meet",
        "The slot is gone or ahead of what the warehouse holds, or the server was restored.",
        "Nothing: the tables concerned are compared with a new snapshot; what differs is their next change.",
    ),
    Code(
        "HW956",
        "A slot retained too much of the server's log",
        "Nothing was captured for so long that the slot's lag exceeded max_slot_lag; the slot was dropped.",
        "Nothing: all tables are compared with a new snapshot. Raise max_slot_lag if that costs too much.",
    ),
    Code(
        "HW957",
        "The database does not exist",
        "PostgreSQL answers, and has no database of the name that the uri gives.",
        "Correct the uri, or create the database. It is tried again.",
    ),
    Code(
        "HW958",
        "PostgreSQL does not let the user in",
        "User, password or the server's pg_hba.conf do not allow the connection.",
        "Correct user and password of the uri, or pg_hba.conf. It is tried again.",
    ),
)

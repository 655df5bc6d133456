"""Codes of a project's folder and its headwater.yml."""

from headwater.errors.codes.code import Code

__all__ = ["CODES"]

CODES = (
    Code(
        "HW201",
        "The project's folder does not exist",
        "There is no folder at the path that was given.",
        "Check the path, or make a starter project there with `headwater init DIR`.",
    ),
    Code(
        "HW202",
        "The project's path is not a folder",
        "A file has the name that was given for a project's folder.",
        "Name the folder that holds headwater.yml, or a new one.",
    ),
    Code(
        "HW203",
        "The folder has no headwater.yml",
        "A project is a folder with a headwater.yml and SQL files.",
        "Write one (only `name:` is required), or make a starter project with `headwater init DIR`.",
    ),
    Code(
        "HW204",
        "A file of the project cannot be read",
        "The file may not be read, or is not UTF-8 text.",
        "Change its permissions, or save it as UTF-8.",
    ),
    Code(
        "HW205",
        "headwater.yml is not YAML",
        "The file cannot be parsed.",
        "Correct it where the caret points; quote texts that hold `:` or `#`.",
    ),
    Code(
        "HW206",
        "headwater.yml has an unknown key",
        "The mapping does not have a key of that name.",
        "Correct its spelling; the message lists the keys that are known.",
    ),
    Code(
        "HW207",
        "headwater.yml has a value that cannot be used",
        "The value is of the wrong kind (text, number, mapping) or out of range.",
        "Correct it as the message says; docs/sql.md describes the file.",
    ),
    Code(
        "HW208",
        "headwater.yml has no name",
        "The file is empty or has no `name:`, the only key that is required.",
        "Write for example `name: shop`.",
    ),
    Code(
        "HW209",
        "The project declares no table",
        "There is no .sql file in the folder, or none of them declares a table.",
        "Write a CREATE TABLE into a file such as tables.sql.",
    ),
    Code(
        "HW210",
        "There is no such view",
        "The project declares no view of that name.",
        "Correct the name; the message lists the project's views.",
    ),
    Code(
        "HW211",
        "There is no such table",
        "The project declares no table of that name.",
        "Correct the name; the message lists the project's tables.",
    ),
    Code(
        "HW212",
        "The folder is not empty",
        "`headwater init` writes into a new or empty folder and overwrites nothing.",
        "Choose another folder.",
    ),
    Code(
        "HW213",
        "The folder cannot be written",
        "`headwater init` may not create files there, or the disk is full.",
        "Choose another folder, or change its permissions.",
    ),
    Code(
        "HW214",
        "headwater.yml has a key twice",
        "A key or the name of a site stands twice in one mapping; sites are compared without case.",
        "Remove or rename one of the two.",
    ),
    Code(
        "HW215",
        "A folder is an address",
        "What should name a folder begins with a scheme such as s3:, gs:, hdfs: or file:.",
        "Name a folder on a local disk, or one that the system has mounted.",
    ),
    Code(
        "HW219",
        "A secret is missing",
        "The project refers to a secret by `${NAME}` or by `password_file`, and the environment variable is "
        "not set for this process, or the file cannot be read.",
        "Set the variable for the process that connects, or let it read the file.",
    ),
    Code(
        "HW891",
        "A file holds more than views",
        "`headwater add` takes CREATE MATERIALIZED VIEW statements only.",
        "Write tables and queries into the project's own files.",
    ),
    Code(
        "HW892",
        "A view is still read",
        "`headwater drop` refuses to take out a view that other views or queries read.",
        "Drop those first, or let them read something else.",
    ),
    Code(
        "HW893",
        "A project would be left empty",
        "The view is all that the project declares.",
        "Delete the project's folder instead.",
    ),
)

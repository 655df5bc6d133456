"""Words of other systems (Snowflake, Flink, ksqlDB, Oracle, MySQL, dbt), and what to write here instead.

The nearest of our own words would mislead: REFRESH EVERY 5 MINUTES is near to REFRESH EVERY CHANGE, and
means FRESHNESS.
"""

from __future__ import annotations

import re

__all__ = ["in_clauses", "in_columns", "in_select", "in_statements"]

NEAR = 60  # characters

_STATEMENTS = {
    "DYNAMIC": "write CREATE MATERIALIZED VIEW name FRESHNESS = INTERVAL '1' MINUTE AS SELECT ...",
    "LIVE": "write CREATE TABLE for what comes from outside, CREATE MATERIALIZED VIEW for what is computed",
    "STREAMING": "write CREATE TABLE name (...) USING stream for what comes from outside,"
    " CREATE MATERIALIZED VIEW for what is computed",
    "STREAM": "changes need no object of their own: a view follows those of its tables;"
    " `headwater changes DIR VIEW` prints a view's",
    "TASK": "nothing is scheduled by hand: a view is refreshed to keep its FRESHNESS",
    "SOURCE": "write CREATE TABLE name (...) USING provider OPTIONS (...)",
    "SINK": "every view is a Delta table that any Delta reader reads; `headwater changes DIR VIEW` prints"
    " what changes",
    "CONNECTION": "write the address into OPTIONS of the table: USING postgres OPTIONS (uri '${PG_URI}')",
    "FUNCTION": "write the expression into the views: they are SQL alone",
    "PROCEDURE": "write views: nothing is executed in steps",
    "TRIGGER": "write a view: it follows every change of its tables",
    "SCHEMA": "a project is one namespace: take the line out",
    "DATABASE": "a project is one namespace: take the line out",
    "CATALOG": "a project is one namespace: take the line out",
    "EXTENSION": "take the line out: functions are Spark's",
    "TEMPORARY": "take the word out, or name the query with CREATE VIEW",
    "TEMP": "take the word out, or name the query with CREATE VIEW",
    "EXTERNAL": "take the word out: where rows come from says USING",
    "UNIQUE": "write UNIQUE (a, b) between the table's parentheses",
    "COMMENT": "write COMMENT 'text' at the end of the CREATE TABLE or before AS of the view",
    "MERGE": "changes come from a table's source: USING api OPTIONS (mode 'upsert') takes rows by key",
    "TRUNCATE": "changes come from a table's source, or with headwater ingest",
    "COPY": "rows come from a table's source, or with headwater ingest",
    "SHOW": "`headwater status DIR` lists what there is",
    "DESCRIBE": "`headwater plan DIR` says how each view is kept",
    "{": "this is a template: declare the SQL that is made of it, for instance by dbt compile",
}
_CLAUSES = {
    "TARGET_LAG": "write FRESHNESS = INTERVAL '1' MINUTE",
    "LAG": "write FRESHNESS = INTERVAL '1' MINUTE",
    "SCHEDULE": "write FRESHNESS = INTERVAL '1' MINUTE: how stale the view may be, not when it is refreshed",
    "BUILD": "take it out: a run computes the view first, and keeps it",
    "REFRESH_MODE": "write REFRESH POLICY AUTO, INCREMENTAL or FULL",
    "WAREHOUSE": "take it out: where a view is computed says AT SITE name",
    "ENGINE": "take it out: tables are Delta tables",
    "PARTITIONED": "take it out: files are laid out by time and key",
    "PARTITION": "take it out: files are laid out by time and key",
    "CLUSTER": "take it out: files are laid out by time and key",
    "CLUSTERED": "take it out: files are laid out by time and key",
    "DISTRIBUTED": "take it out: files are laid out by time and key",
    "LOCATION": "take it out: `storage:` in headwater.yml says where tables are",
    "STORED": "take it out: tables are Delta tables",
    "TABLESPACE": "take it out: `storage:` in headwater.yml says where tables are",
}
_WITH = {
    "view": "write FRESHNESS, REFRESH POLICY and the like as clauses, or"
    " TBLPROPERTIES ('headwater.freshness' = '10 seconds')",
    "table": "write USING provider OPTIONS (key 'value', ...); providers are api, files, postgres and stream",
}
_REFRESH = "write FRESHNESS = INTERVAL '5' MINUTE: how stale the view may be, not when it is refreshed"
_COLUMNS = {
    "WATERMARK": "write WATERMARK = INTERVAL '5' SECOND ON column after the table's parentheses",
    "AUTO_INCREMENT": "take it out: rows come with their keys",
    "AUTOINCREMENT": "take it out: rows come with their keys",
    "IDENTITY": "take it out: rows come with their keys",
    "NOT": "take NOT ENFORCED out: keys are checked when a row comes",
    "ENFORCED": "take it out: keys are checked when a row comes",
    "METADATA": "take it out: columns are those of the rows",
    "INDEX": "tables are indexed by their PRIMARY KEY, and as `headwater check` says",
    "KEY": "tables are indexed by their PRIMARY KEY, and as `headwater check` says",
    "UNSIGNED": "take it out; what does not fit a BIGINT fits a DECIMAL(20,0)",
    "ENCODE": "take it out",
    "MASKING": "take it out: who may read what over HTTP says `headwater key`",
}
_SELECTS = (
    (r"EMIT\s+(CHANGES|FINAL|ON)\b", "take EMIT out: a view always follows its tables"),
    (r"WITH\s+(NO\s+)?DATA\b", "take it out: a run computes the view first, and keeps it"),
    (r"WITH\s+NO\s+SCHEMA\s+BINDING\b", "take it out"),
    (r"MATCH_RECOGNIZE\b", "lag() and lead() OVER (PARTITION BY ... ORDER BY ...) see neighbouring rows"),
    (r"TABLE\s*\(\s*TUMBLE\b", "write GROUP BY window(at, '1 minute')"),
    (r"TABLE\s*\(\s*HOP\b", "write GROUP BY window(at, '10 minutes', '5 minutes')"),
    (r"TABLE\s*\(\s*(SESSION|CUMULATE)\b", "write GROUP BY session_window(at, '5 minutes')"),
    (r"SELECT\s+TOP\s+\d", "write ORDER BY ... LIMIT n at the end"),
    (r"!?~\*?\s*'", "write x RLIKE 'pattern'"),
)  # fmt: skip


def in_statements(word: str) -> str:
    """What to write instead of a statement that begins with the word, or creates a thing of that kind."""
    return _STATEMENTS.get(word, "")


def in_clauses(words: tuple[str, str], kind: str) -> str:
    """Instead of a clause of a "table" or a "view" that begins with these words."""
    if words[0] == "WITH":
        return "" if words[1] == "CARDINALITY" else _WITH[kind]
    if words[0] == "REFRESH" and words[1] in {"EVERY", "ON", "START", "FAST", "COMPLETE", "FORCE", "NEXT"}:
        return _REFRESH if kind == "view" else ""
    return _CLAUSES.get(words[0], "")


def in_columns(word: str) -> str:
    """Instead of what stands behind a column's type, or in a column's place."""
    return _COLUMNS.get(word, "")


def in_select(text: str, at: int) -> str:
    """Instead of what another system has in a SELECT, beside the place where the text does not parse."""
    near = text[max(0, at - NEAR) : at + NEAR]
    return next((hint for pattern, hint in _SELECTS if re.search(pattern, near, re.IGNORECASE)), "")

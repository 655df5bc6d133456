"""SQL files of any dialect to tables and queries that can be analysed."""

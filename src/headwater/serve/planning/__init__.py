"""The plan of a project: made, remembered, explained, changed."""

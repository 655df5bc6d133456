"""Other forms of a block with the same meaning: merged, joined, split, pushed down."""

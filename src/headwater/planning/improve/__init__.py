"""One plan for all views, improved step by step; a view more, a view less."""

"""Scale independence, measured: twoTags on demand and from its view; the checker's own speed."""

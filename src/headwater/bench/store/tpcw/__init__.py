"""TPC-W on the store: every interaction at several scales, maintenance and refreshes."""

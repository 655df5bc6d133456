"""The routes, a file for each kind of answer; each makes a router for what all requests share."""

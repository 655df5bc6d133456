"""How large everything is and how fast it changes: all that a plan is judged by."""

"""Random projects through every command: no traceback, no hang, exit statuses as promised."""

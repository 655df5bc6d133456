"""Who may ask the server what, how often, and by which name: decided here, enforced by serve/http/guard."""

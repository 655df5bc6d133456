"""Plans and expressions as text, and back."""

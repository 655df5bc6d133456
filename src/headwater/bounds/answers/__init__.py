"""What `check` says: levels, proofs, reasons, advice."""

"""What a run and those outside of it tell each other, in small files of the warehouse."""

"""What people type: options shared by commands, durations, instants, periods, files."""

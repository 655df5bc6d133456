"""What stages that choose have chosen, as it is recorded in system/."""

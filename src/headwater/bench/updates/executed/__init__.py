"""Update streams as executed: policies on Spark against the simulated queue, a million keys, kills."""

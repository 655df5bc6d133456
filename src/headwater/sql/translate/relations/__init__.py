"""FROM: which relations a SELECT reads, which column a name means, how inputs are joined."""

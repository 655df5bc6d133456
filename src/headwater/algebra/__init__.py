"""Plans over Z-sets: expressions, nodes, delta rules, stages, and the evaluator they are tested against."""

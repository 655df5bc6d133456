"""What tests share: generators, oracles and small projects. Test modules import from here, never from each other."""

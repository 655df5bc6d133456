"""From records of any kind to one checked commit of a source."""

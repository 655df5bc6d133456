"""Rankings of windows (SI-3): refreshed from counters by epoch, partition by partition."""

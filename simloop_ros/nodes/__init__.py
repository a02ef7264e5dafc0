"""One thin node per block."""

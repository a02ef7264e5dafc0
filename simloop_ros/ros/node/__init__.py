"""What all nodes have in common: lifecycle, parameters, diagnostics, processes."""

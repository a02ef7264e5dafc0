"""The nodes, each a thin adapter around a block."""

import os

# Before numpy is imported: its matrices are small here, and the helper threads of a process
# with real-time priority would take every core from the others.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

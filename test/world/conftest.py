"""A generator of random numbers for worlds and postures."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that begins at the same seed in every test."""
    return np.random.default_rng(21)

"""All steps of a run, in memory."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from simloop_ros.assembly.assemble import Assembly
from simloop_ros.core.errors import DivergenceError
from simloop_ros.loop.step_record import StepRecord


def records_of(prepared: Assembly) -> list[StepRecord]:
    """Take all steps of a run, and close its plant; return fewer where it diverges."""
    records: list[StepRecord] = []
    try:
        with suppress(DivergenceError), np.errstate(all='ignore'):
            prepared.loop.run(prepared.facts.steps, records.append)
    finally:
        prepared.loop.plant.close()
    return records

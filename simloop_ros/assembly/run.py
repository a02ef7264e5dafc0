"""A scenario from its data to its results on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import DivergenceError
from ..record.run_recorder import RunRecorder
from .assemble import Assembly


def run(
    assembly: Assembly,
    folder: Path,
    clock: Callable[[], float],
    proceed: Callable[[int], bool] = lambda _: True,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Run a scenario, write ``log.mcap`` and ``summary.json``, return the summary.

    A run that diverges or is stopped has a valid log, and a summary with that ``status``.

    :param proceed: called now and then with the number of steps taken; returns whether to go on.
    :param progress: gets the share of the log that is written, 0 to 1.
    """
    facts, loop = assembly.facts, assembly.loop
    costs: dict[str, float] = {}
    try:
        with RunRecorder(facts, folder) as recorder:
            begin = clock()
            try:
                # Numbers that run away are reported as a divergence, not as warnings.
                with np.errstate(over='ignore', invalid='ignore'):
                    costs = loop.run(facts.steps, recorder.take, proceed, clock)
            except DivergenceError as error:
                recorder.events.add(
                    error.step, 'divergence', joint=error.joint, message=str(error)
                )
            return recorder.write(clock() - begin, costs, progress)
    finally:
        loop.plant.close()

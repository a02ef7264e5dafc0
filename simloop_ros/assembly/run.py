"""A scenario from its data to its results on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import DivergenceError, StorageError
from ..record.run_folder import RunFolder
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

    A run that diverges or is stopped has a valid log, and a summary with that ``status``. The
    results of an earlier run in the folder are kept: it gets a number, see ``RunFolder``.

    :param proceed: called now and then with the number of steps taken; returns whether to go on.
    :param progress: gets the share of the log that is written, 0 to 1.
    :raises ConfigError: the folder holds something else, or is in use.
    :raises StorageError: not all results could be written; what could is kept.
    """
    with RunFolder(folder) as results:
        summary = run_into(results, assembly, clock, proceed, progress)
        results.publish()
    if results.failure:
        raise results.error()
    return summary


def run_into(
    results: RunFolder,
    assembly: Assembly,
    clock: Callable[[], float],
    proceed: Callable[[int], bool] = lambda _: True,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Do the same with results that are still to be published, and note what cannot be written."""
    facts, loop = assembly.facts, assembly.loop
    costs: dict[str, float] = {}
    try:
        with RunRecorder(facts, results) as recorder:
            begin = clock()
            try:
                # Numbers that run away are reported as a divergence, not as warnings.
                with np.errstate(over='ignore', invalid='ignore'):
                    costs = loop.run(facts.steps, recorder.take, proceed, clock)
            except DivergenceError as error:
                recorder.events.add(
                    error.step, 'divergence', joint=error.joint, message=str(error)
                )
            except StorageError as error:
                results.failure = str(error)
            return recorder.write(clock() - begin, costs, progress)
    finally:
        loop.plant.close()

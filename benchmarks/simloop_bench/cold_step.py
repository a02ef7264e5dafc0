"""Cost of a step of the loop: one after the other, and after a pause as in real time."""

from __future__ import annotations

import time

import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.scenario.loading import load_scenario

STEPS = 300
"""Steps that are measured of each kind."""


def step_costs(name: str, period: float) -> tuple[float, float]:
    """Return the CPU time of a step in process, without and with a pause before it [us].

    The same instructions take longer after a pause: meanwhile others have used the caches of the
    processor. In real time there is a pause before each step. Medians.

    :param name: of the scenario.
    :param period: of a step, and length of the pauses [s].
    """
    duration = 2.0 * (STEPS + 1) * period
    loop = assemble(load_scenario(name, [f'period={period}', f'duration={duration}'])).loop
    costs = []
    for pause in (0.0, period):
        times = []
        for _ in range(STEPS):
            if pause:
                time.sleep(pause)
            begin = time.thread_time()
            loop.step()
            times.append(time.thread_time() - begin)
        costs.append(1e6 * float(np.median(times)))
    loop.plant.close()
    return costs[0], costs[1]

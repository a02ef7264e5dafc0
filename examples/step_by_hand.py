"""A loop stepped by hand, saved and restored: ``python examples/step_by_hand.py``."""

from __future__ import annotations

import numpy as np

from simloop_ros import assemble, load_scenario


def main() -> None:
    """Step a sphere, go back, and find the same future."""
    scenario = load_scenario('sphere_step', ['plant.noise=1e-5'])
    loop = assemble(scenario).loop
    for _ in range(200):
        loop.step()
    saved = loop.snapshot()
    first = [loop.step() for _ in range(100)]
    loop.restore(saved)
    again = [loop.step() for _ in range(100)]
    same = all(np.array_equal(a.measured, b.measured) for a, b in zip(first, again, strict=True))
    last = again[-1]
    print(f'step {last.index}: setpoint {last.setpoint.position}, measured {last.measured}')
    print(f'effort {last.command.effort} N m, explained by {last.rollback.effort} N m')
    print(f'the same future after restore: {same}')
    loop.plant.close()


if __name__ == '__main__':
    main()

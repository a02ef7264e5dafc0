"""Make the picture of the simulated hand: ``python docs/make_hand_picture.py``."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.scenario.loading import load_scenario

IMAGE = Path(__file__).parent / 'images' / 'hand.png'
HAND = """[{link: tool0_l, stiffness: 500, damping: 30, max_force: 15, start: 0.5, end: 3.5,
  path: {kind: waypoints, waypoints: [{time: 1, offset: [0, 0, 0.15]},
    {time: 2, offset: [0.1, 0, 0.15]}]}}]"""
SETTINGS = ['planner.kind=guiding', 'duration=4', 'plant.mass_bias=0', f'plant.hands={HAND}']


def main() -> None:
    """Let a hand lead YuMi, and draw what it does."""
    prepared = assemble(load_scenario('yumi_step', SETTINGS))
    loop, steps = prepared.loop, prepared.facts.steps
    reports = [hand for _ in range(steps) for hand in loop.step().plant.hands]
    time = np.arange(1, steps + 1) * prepared.facts.scenario.period
    figure = Figure(figsize=(9, 5.2), layout='constrained')
    force, gap, energy = figure.subplots(3, 1, sharex=True)
    force.plot(time, [report.force for report in reports], label=['x', 'y', 'z'])
    force.plot(time, [np.linalg.norm(report.force) for report in reports], 'k:', label='size')
    force.set_ylabel('force [N]')
    gap.plot(time, [1e3 * np.linalg.norm(report.gap) for report in reports])
    gap.set_ylabel('target to point [mm]')
    energy.plot(time, [report.energy for report in reports])
    energy.set_ylabel('energy [J]')
    energy.set_xlabel('time [s]')
    force.set_title('A hand leads YuMi up by 0.15 m, then forward by 0.1 m, and lets go')
    force.legend(ncols=4, fontsize=8)
    for axes in (force, gap, energy):
        axes.grid(alpha=0.3)
        for moment in (0.5, 3.5):
            axes.axvline(moment, color='grey', linewidth=0.8)
    figure.savefig(IMAGE, dpi=90)


if __name__ == '__main__':
    main()

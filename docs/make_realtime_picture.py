"""Make the picture of late periods: ``python docs/make_realtime_picture.py``.

It needs ``PYTHONPATH=benchmarks``.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

from simloop_bench.lateness_traces import LatenessTrace
from simloop_bench.virtual_graph import NODES, StepTruth, VirtualGraph, lockstep
from simloop_bench.virtual_time import NANO, VirtualProcess
from simloop_ros.core.values import Array
from simloop_ros.safety.lateness import LEVELS
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario

IMAGE = Path(__file__).parent / 'images' / 'realtime.png'
PAUSES = ((0.6, 0.65), (0.9, 0.93), (1.2, 1.7))  # s
COLOURS = {'slow': 'khaki', 'soft': 'orange', 'stop': 'salmon'}


def speed(steps: list[StepTruth], joint: int) -> Array:
    """Return the speed of a joint in every step [rad/s]."""
    return np.array([step.report.truth.velocity[joint] for step in steps])


def draw_pauses(axes: Axes) -> None:
    """Draw a joint of YuMi while the control simulation is left out three times."""
    scenario = load_scenario('yumi_step')
    pauses = [(round(a * NANO), round(b * NANO)) for a, b in PAUSES]
    processes = {node: VirtualProcess() for node in NODES}
    processes['control_simulation'] = VirtualProcess(pauses)
    graph = VirtualGraph(scenario, processes)
    planned = lockstep(scenario)
    graph.run(len(planned))
    graph.close()
    joint = int(
        np.abs(np.diff([s.report.truth.position for s in planned], axis=0)).max(0).argmax()
    )
    time = np.arange(1, len(planned) + 1) * scenario.period
    begun = graph.time.now / NANO - len(graph.truth) * scenario.period
    for begin, end in PAUSES:
        axes.axvspan(begin - begun, end - begun, color='0.85', label='control is left out')
    axes.plot(time, speed(planned, joint), 'k:', label='lockstep')
    axes.plot(time[: len(graph.truth)], speed(graph.truth, joint), label='real time')
    axes.set_ylabel('speed of a joint [rad/s]')
    axes.set_xlabel('time since the first command [s]')
    axes.set_title(
        'yumi_step: 50 and 30 ms are bridged by the plan that was sent ahead; in a longer pause '
        'the robot coasts to rest',
        fontsize=9,
    )
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[2:], labels[2:], fontsize=8, loc='upper left')


def lateness(scenario: Scenario) -> tuple[Array, Array, list[str], float]:
    """Return time [s], lateness [ms], level, and what is borne [ms], of a led robot."""
    trace, rng = LatenessTrace(name='random 20 %', random=0.2), np.random.default_rng(1)
    duration = scenario.duration or 0.0
    processes = trace.processes(rng, duration, scenario.period, composed=True)
    graph = VirtualGraph(scenario, processes)
    time, late, levels = [], [], []
    while graph.time.now < duration * NANO:
        graph.time.run(graph.time.now + round(0.02 * NANO))
        graph.time.now = max(graph.time.now, round((len(time) + 1) * 0.02 * NANO))
        budget = graph.planner.pace.lateness.budget
        time.append(graph.time.now / NANO)
        late.append(1e3 * budget.lateness)
        levels.append(budget.level.name)
    graph.close()
    return np.array(time), np.array(late), levels, 1e3 * budget.bearable


def draw_budget(axes: Axes) -> None:
    """Draw the budget of a robot that a hand leads on a machine with a fifth of late periods."""
    time, late, levels, bearable = lateness(load_scenario('lwr_tcp', ['duration=5']))
    for name, colour in COLOURS.items():
        if name not in levels:
            continue
        inside = np.array([level == name for level in levels])
        axes.fill_between(
            time, 0, 2.2 * bearable, where=inside, color=colour, alpha=0.6, label=name
        )
    axes.plot(time, late, label='lateness, mean')
    for level in LEVELS[1:]:
        axes.axhline(level.share * bearable, color='grey', linestyle=':', linewidth=0.8)
        axes.text(0.02, level.share * bearable, level.name, fontsize=8, va='bottom')
    axes.set_ylim(0, 2.2 * bearable)
    axes.set_xlim(0, time[-1])
    axes.set_ylabel('lateness [ms]')
    axes.set_xlabel('time [s]')
    axes.set_title(
        f'lwr_tcp, led by a hand, bears {bearable:.2g} ms: a process that is left out for 1 to 4 '
        'periods, from 0.5 s on',
        fontsize=9,
    )
    axes.legend(fontsize=8, loc='upper right')


def main() -> None:
    """Run both on a virtual clock, and draw them."""
    figure = Figure(figsize=(9, 6), layout='constrained')
    above, below = figure.subplots(2, 1)
    draw_pauses(above)
    draw_budget(below)
    for axes in (above, below):
        axes.grid(alpha=0.3)
    figure.savefig(IMAGE, dpi=90)


if __name__ == '__main__':
    main()

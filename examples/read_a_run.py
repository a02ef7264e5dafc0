"""Run a scenario and read its arrays: ``python examples/read_a_run.py``."""

from __future__ import annotations

import numpy as np

from simloop_ros import StepRecord, assemble, columns_of, load_scenario


def main() -> None:
    """Run YuMi with 10 % more mass than its model, and print what the loop sees of it."""
    scenario = load_scenario('yumi_step', ['plant.mass_bias=0.1', 'duration=1'])
    assembly = assemble(scenario)
    records: list[StepRecord] = []
    assembly.loop.run(assembly.facts.steps, records.append)
    assembly.loop.plant.close()
    columns = columns_of(records)
    for name, values in columns.items():
        print(f'{name:20} {values.shape}')
    error = columns['true_position'] - columns['desired_position']
    difference = columns['effort'] - columns['rollback_effort']
    print(f'path error, rms        {np.sqrt(np.mean(error**2)):.2e} rad')
    print(f'force difference, max  {np.abs(difference).max():.2f} N m')


if __name__ == '__main__':
    main()

"""Make the pages of the reference and the JSON schemas: ``python docs/make_reference.py``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
import re

from simloop_ros.cli.commands import COMMANDS
from simloop_ros.cli.main import make_parser
from simloop_ros.core.config_types import field_docs
from simloop_ros.drivers.schema import KINDS, schema_of
from simloop_ros.record.metrics import Metrics
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.reference import scenario_keys
from simloop_ros.scenario.schema import schema_text
from simloop_ros.scenario.shipped import scenario_descriptions

ROOT = Path(__file__).resolve().parents[1]
MADE = 'This page is made by `docs/make_reference.py`.'
KEYS = f"""# Every key of a scenario

Set them in a YAML file like those in `config/scenarios`, or with `--set key=value`. SI units and
rad; on a prismatic joint m stands for rad and N for N m. `simloop keys PATTERN` prints the same;
editors complete files with the schemas in `config/schema`. {MADE}

`plant.pushes[].force` is a key of each entry of the list `plant.pushes`. A list is given whole:
`--set 'plant.pushes=[{{link: tip, start: 1, duration: 0.1, force: [0, 0, 10]}}]'`.

A key that does not exist is refused, with the valid ones. So is a key of another `planner.kind`.
If `--set planner.kind=...` changes the kind of a scenario, keys of its file that the new kind does
not have are left out, with a note.

`module:Class` stands for a class of your own, for instance `my_package.my_module:MyPlanner`. Its
`parameters` are a mapping of numbers, text, lists and mappings.
"""
COMMANDS_HEAD = f"""# Every command

`simloop COMMAND --help` prints the same. {MADE}

Exit status: 0 the goal was reached, or the scenario has none and ended; 1 it was not, the run
diverged or the model is unfit; 2 invalid input, with one line that says what to do; 3 the disk is
full; 130 stopped by a signal.
"""
SHIPPED = f"""# Shipped scenarios

`simloop list` prints the same. {MADE}

| scenario | robot | what happens |
|---|---|---|
"""
SUMMARY = f"""# Keys of summary.json

Every run writes `summary.json` into its folder. SI units and rad; on a prismatic joint m stands
for rad and N for N m. {MADE}

| key | what |
|---|---|
"""
SUMMARY_KEYS = {
    'scenario': 'name of the scenario',
    'robot': 'name of the robot',
    'plant': 'engine of the simulated robot',
    'planner': '`planner.kind`',
    'rollback': '`measured` or `observer`',
    'status': '`reached`, `ended` (a scenario without a goal), `missed`, `stopped`, `disturbed`, '
    '`diverged` or `interrupted`',
    'verdict': 'what happened and what was found, as lines of text',
    'period': 'length of one step [s]',
    'steps': 'number of steps',
    'duration': 'simulated time [s]',
    'seed': 'of the random generator',
    'mass_bias': '`plant.mass_bias`',
    **{name: text.rstrip('.') for name, text in field_docs(Metrics).items()},
    'path_error_max': 'the largest of these',
    'true_path_error_max': 'the largest of these',
    'force_difference_max': 'the largest of these',
    'goals': 'goals that were given while it ran: each with its answer, its times [s], and '
    '`tip_error` at its end [m]',
    'tip_error_end': 'distance of each tip from its goal at the end [m]',
    'tip_error_rms': 'along a Cartesian path: distance of the true tip from its planned point [m]',
    'tip_error_max': 'the largest of these',
    'corners': 'along a Cartesian path: each corner with its time of arrival [s]',
    'effort_share_max': 'largest effort as a share of its limit',
    'effort_limited_steps': 'number of steps in which an effort limit was applied',
    'contact_force_max': 'largest contact force [N], where there was contact',
    'contact_force_end': 'its mean over the last contact steps [N]',
    'contact_residuals': 'largest position and force difference before and after the first '
    'contact (000 section 7.1)',
    'guiding_energy': 'energy from the operator into a guided robot [J] (001)',
    'external_torque_error_rms': 'estimated minus true external torque of a guided robot [N m]',
    'effective_mass': 'of each guided tip along `admittance.mass_direction` at begin and end [kg]',
    'internal_force_peak': 'of two hands on one object [N]',
    'internal_force_end': 'the same at the end [N]',
    'internal_force_least': 'the same from the contact until the release [N]',
    'internal_force_settling': 'time from the contact until it stays near its setpoint [s]',
    'touched': 'time of the first contact of two hands with the object [s]',
    'dropped': 'time at which the object was lost for good [s]; none if it was not',
    'squeeze_error_max': 'of the internal force from its setpoint while the object moves [N]',
    'object_error_max': "of the object's centre from its planned place [m]",
    'object_turn_error_max': "of the object's attitude [rad]",
    'tasks_left': 'tasks of two hands that were not done',
    'late_share': 'real time: share of the periods in which the robot got no new command',
    'longest_gap': 'real time: longest time between two commands [s]',
    'measured_lag': (
        'of a driver: time from a command to its effect in the first motion [s]; null if unseen'
    ),
    'largest_acceleration': 'real time: of `joints` [rad/s^2] and `tips` [m/s^2]',
    'real_time_factor': 'simulated time over wall time',
    'step_cost_us': 'mean cost of each part of a step [us]',
    'joint_names': 'in the order of all lists by joint',
    'joint_units': '`rad` or `m` by joint',
    'graphs': 'the figures that were asked for',
    'notes': 'what a reader should know about this run',
    'settings': 'the whole scenario, with all defaults',
    'events': 'contacts, collisions, reactions, tasks: `kind`, `time` [s] and what belongs to it',
}
"""Key of a summary -> what it means; a test runs scenarios and finds no other key."""


def cite(text: str, folder: str = '') -> str:
    """Return a text in which the documents 000 to 004 are links to their list."""
    cited = re.sub(r'(?<![\w.\[`])(00[0-4])(?![\w.\]`]|\.\d)', r'[\1]', text)
    used = sorted(set(re.findall(r'\[(00[0-4])\]', cited)))
    return cited + ''.join(f'\n[{name}]: {folder}references.md#{name}' for name in used) + '\n'


def keys_page() -> str:
    """Return the page of all keys."""
    lines = [KEYS]
    for section, keys in groupby(scenario_keys(), lambda key: key.section):
        if section:
            lines += [f'{"###" if ": " in section else "##"} {section}', '']
        lines += ['| key | value | default | what |', '|---|---|---|---|']
        lines += [f'| `{key.name}` | {key.kind} | {key.default} | {key.meaning} |' for key in keys]
        lines.append('')
    return cite('\n'.join(lines))


def commands_page() -> str:
    """Return the page of all commands."""
    return '\n'.join([COMMANDS_HEAD, *(line for name in COMMANDS for line in _command(name))])


def _command(name: str) -> Iterator[str]:
    """Yield the section of a command: its arguments, and its examples."""
    (subparsers,) = (a for a in make_parser(name)._actions if a.dest == 'command')
    yield f'## simloop {name}\n\n{COMMANDS[name].summary[0].upper()}{COMMANDS[name].summary[1:]}\n'
    actions = [action for action in subparsers.choices[name]._actions if action.dest != 'help']
    if actions:
        yield '| argument | what |\n|---|---|'
    for action in actions:
        given = action.metavar
        values = given if isinstance(given, tuple) else (given,)
        words = ' '.join(filter(None, [*action.option_strings, *values]))
        words = words or '{' + ','.join(action.choices) + '}'
        meaning = (action.help or '') % {'default': action.default}
        yield f'| `{words}` | {meaning} |'
    yield f'\n```text\n{COMMANDS[name].epilog.rstrip()}\n```\n'


def shipped_page() -> str:
    """Return the page of the shipped scenarios."""
    rows = []
    for name, text in scenario_descriptions().items():
        settings = ['robot=two_link'] if name == 'step' else []
        robot = Path(load_scenario(name, settings).robot.urdf).name.split('.')[0]
        rows.append(f'| `{name}` | {"any" if settings else robot} | {text} |')
    return cite(SHIPPED + '\n'.join(rows) + '\n', '../')


def summary_page() -> str:
    """Return the page of the summary."""
    rows = (f'| `{key}` | {text} |\n' for key, text in SUMMARY_KEYS.items())
    return cite(SUMMARY + ''.join(rows), '../')


def made() -> dict[Path, str]:
    """Return what is made: each file and its text."""
    return {
        ROOT / 'docs' / 'scenarios.md': keys_page(),
        ROOT / 'docs' / 'reference' / 'commands.md': commands_page(),
        ROOT / 'docs' / 'reference' / 'shipped.md': shipped_page(),
        ROOT / 'docs' / 'reference' / 'summary.md': summary_page(),
        **{
            ROOT / 'config' / 'schema' / f'{kind}.json': schema_text(schema_of(kind))
            for kind in KINDS
        },
    }


if __name__ == '__main__':
    for path, text in made().items():
        path.write_text(text)

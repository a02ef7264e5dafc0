"""The ``simloop`` command."""

from __future__ import annotations

if __name__ == '__main__':  # before the other imports: Ctrl-C may come during these
    from simloop_ros.cli.start import interrupts

    interrupts.leave_at_once()

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
import os
import sys

# Before numpy is imported: matrices are small here, and more threads only wait for each other.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

from .. import __version__
from ..core.errors import STORAGE_ERROR, USER_ERROR, SimloopError
from .start import INTERRUPTED

COMMANDS = {
    'list': ('list_scenarios', 'scenarios, one line each'),
    'run': ('run', 'run a scenario in process'),
    'launch': ('launch', 'run a scenario as a ROS 2 graph'),
    'plot': ('plot', 'figures again from a log'),
    'check': ('check', 'is this model fit for control?'),
    'calibrate': ('calibrate', 'learn thresholds of the collision monitors from free motion'),
    'robotstudio': (
        'robotstudio',
        'send the motion of a run to RobotStudio, or an ABB controller',
    ),
    'bench': ('bench', 'benchmarks, ratios side by side'),
}
"""Command -> its module, and its line in the help. Only the chosen module is imported."""


class _Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise SimloopError(f'{message} (see {self.prog} --help)')


def main(arguments: Sequence[str] | None = None, ready: Callable[[], None] = lambda: None) -> int:
    """Run the command and return its exit status.

    :param ready: called when the modules of the command are imported.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _Parser(prog='simloop', description='Simulation in the control loop of robot arms.')
    parser.add_argument('--version', action='version', version=f'simloop {__version__}')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    chosen = next((text for text in arguments if not text.startswith('-')), '')
    try:
        for name, (module, summary) in COMMANDS.items():
            subparser = subparsers.add_parser(name, help=summary)
            if name == chosen:
                command = import_module(f'.{module}', __package__)
                command.add_arguments(subparser)
                subparser.set_defaults(call=command.call)
        options = parser.parse_args(arguments)
        ready()
        return int(options.call(options))
    except SimloopError as error:
        print(f'simloop: {error}', file=sys.stderr)
        return error.exit_status
    except (ArithmeticError, MemoryError) as error:
        print(f'simloop: a value is out of all bounds: {error}', file=sys.stderr)
        return USER_ERROR
    except BrokenPipeError:
        return 0
    except OSError as error:
        where = f'{error.filename}: ' if error.filename else ''
        print(f'simloop: {where}{error.strerror or error}', file=sys.stderr)
        return STORAGE_ERROR
    except KeyboardInterrupt as error:
        print(f'simloop: {str(error) or "interrupted"}', file=sys.stderr)
        return INTERRUPTED


if __name__ == '__main__':
    from .start import main as start

    sys.exit(start())

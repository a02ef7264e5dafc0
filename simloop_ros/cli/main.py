"""The ``simloop`` command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
import sys

# Before numpy is imported: matrices are small here, and a busy machine waits for its helpers.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

from .. import __version__
from ..errors import USER_ERROR, SimloopError
from . import bench, calibrate, check, launch, list_scenarios, plot, robotstudio, run

COMMANDS = (list_scenarios, run, launch, plot, check, calibrate, robotstudio, bench)


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise SimloopError(f'{message} (see {self.prog} --help)')


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = _Parser(prog='simloop', description='Simulation in the control loop of robot arms.')
    parser.add_argument('--version', action='version', version=f'simloop {__version__}')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for module in COMMANDS:
        module.add_parser(subparsers)
    try:
        options = parser.parse_args(arguments)
        return int(options.call(options))
    except SimloopError as error:
        print(f'simloop: {error}', file=sys.stderr)
        return USER_ERROR
    except (ArithmeticError, MemoryError) as error:
        print(f'simloop: a value is out of all bounds: {error}', file=sys.stderr)
        return USER_ERROR
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        print('simloop: interrupted', file=sys.stderr)
        return 130


if __name__ == '__main__':
    sys.exit(main())

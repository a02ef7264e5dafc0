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
from .arguments import ARGUMENTS
from .commands import COMMANDS, FURTHER
from .start import INTERRUPTED


class _Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise SimloopError(f'{message} (see {self.prog} --help)')


def make_parser(chosen: str) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    :param chosen: the command whose arguments are wanted; the others have none yet.
    """
    layout = argparse.RawDescriptionHelpFormatter
    parser = _Parser(
        prog='simloop',
        description='Simulation in the control loop of robot arms.',
        epilog=FURTHER,
        formatter_class=layout,
    )
    parser.add_argument('--version', action='version', version=f'simloop {__version__}')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=command.summary,
            description=command.summary[0].upper() + command.summary[1:],
            epilog=command.epilog,
            formatter_class=layout,
        )
        if name == chosen:
            ARGUMENTS[name](subparser)
    return parser


def main(arguments: Sequence[str] | None = None, ready: Callable[[], None] = lambda: None) -> int:
    """Run the command and return its exit status.

    :param ready: called when the modules of the command are imported.
    """
    if '_ARGCOMPLETE' in os.environ:
        _complete()
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        parser = make_parser(_first_word(arguments))
        options, unknown = parser.parse_known_args(arguments)
        if unknown:
            raise SimloopError(
                f'unrecognized arguments: {" ".join(unknown)} (see simloop {options.command} '
                '--help)'
            )
        # Only the module of the chosen command is imported: some take a second.
        command = import_module(f'.{COMMANDS[options.command].module}', __package__)
        ready()
        return int(command.call(options))
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


def _complete() -> None:
    """Answer the shell that completes a command line, and exit."""
    import argcomplete

    words = os.environ.get('COMP_LINE', '').split()[1:]
    argcomplete.autocomplete(make_parser(_first_word(words)))


def _first_word(arguments: Sequence[str]) -> str:
    return next((text for text in arguments if not text.startswith('-')), '')


if __name__ == '__main__':
    from .start import main as start

    sys.exit(start())

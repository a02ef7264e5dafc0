"""A graph as processes, without the ROS ``launch`` package; imports no ROS itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
import os
from pathlib import Path
import sys
import tempfile

import msgspec

from ...core.errors import MissingDependencyError
from ..node.rclpy_version import require_rclpy
from .supervisor import Program, supervise
from .wiring import NodeSpec, parameter_file

FOLDER = Path('/dev/shm')
PATTERNS = ('fastdds_*', 'sem.fastdds_*')


def remove_orphans() -> list[str]:
    """Remove this user's Fast DDS files that no process uses any more; return their names.

    Under ``ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST`` Fast DDS always uses shared memory. A process
    that ends cleanly removes its files there; one that is killed cannot.
    """
    files = [path for pattern in PATTERNS for path in FOLDER.glob(pattern)]
    used = _used_files()  # after the list: whoever made a file of it has it open by now
    removed = []
    for path in files:
        with suppress(OSError):
            if str(path) not in used and path.stat().st_uid == os.getuid():
                path.unlink()
                removed.append(path.name)
    return removed


def _used_files() -> set[str]:
    found = set()
    for process in Path('/proc').glob('[0-9]*'):
        with suppress(OSError):
            for line in (process / 'maps').read_text().splitlines():
                found.add(line.partition('/')[1] + line.partition('/')[2])
        with suppress(OSError):
            for descriptor in (process / 'fd').iterdir():
                with suppress(OSError):
                    found.add(os.readlink(descriptor))
    return {name for name in found if name.startswith(str(FOLDER))}


GRACE, LONG_GRACE = 10.0, 60.0
"""Time that a node has to end [s]; all but a recorder with a long log need less than 2 s. The
longer one is for a run without an end, whose log may be long."""


def require_ros() -> None:
    """Raise MissingDependencyError where there is no ROS, or one that is too old."""
    if find_spec('rclpy') is None:
        raise MissingDependencyError(
            'ROS 2 is not installed: source a ROS distribution, or pip install simloop_ros[ros]'
        )
    require_rclpy()


def run_graph(
    nodes: tuple[NodeSpec, ...],
    *,
    composed: bool,
    report: Callable[[str], None],
    beside: Sequence[Program] = (),
    environment: Mapping[str, str] | None = None,
    output: str = '',
) -> int:
    """Run nodes until they are done, as ``supervise`` does; return the status.

    :param composed: whether all nodes are in one process, instead of one each.
    :param beside: programs that are started before the nodes and end with them.
    :param environment: added to the present one, for the nodes.
    :param output: file to which everything that the nodes print is added; empty for ours.
    """
    with tempfile.TemporaryDirectory(prefix='simloop_') as temporary:
        parameters = Path(temporary) / 'parameters.yaml'
        parameters.write_text(parameter_file(nodes))
        own = [
            msgspec.structs.replace(program, environment=environment or {}, output=output)
            for program in programs(nodes, parameters, composed=composed)
        ]
        try:
            endless = any(node.parameters.get('recorder.endless', False) for node in nodes)
            grace = LONG_GRACE if endless else GRACE
            return supervise((*beside, *own), grace=grace, report=report)
        finally:
            remove_orphans()


def programs(
    nodes: tuple[NodeSpec, ...], parameters: Path, *, composed: bool
) -> tuple[Program, ...]:
    """Return the processes of a graph: one per node, or one for most, with a parameter file."""
    together = tuple(node for node in nodes if composed and not node.apart)
    alone = [(node,) for node in nodes if node not in together]
    return tuple(
        Program(
            name='composed' if group == together else group[0].executable,
            command=_command(group, parameters, composed=group == together),
            ends_all=any(node.ends_graph for node in group),
            takes_signals=True,
        )
        for group in ([together] if together else []) + alone
    )


def _command(group: tuple[NodeSpec, ...], parameters: Path, *, composed: bool) -> tuple[str, ...]:
    first = group[0]
    return (
        sys.executable,
        '-m',
        f'simloop_ros.nodes.{"composed" if composed else first.executable}',
        *((node.executable for node in group) if composed else ()),
        '--ros-args',
        '--params-file',
        str(parameters),
        *(('-r', f'__ns:={first.namespace}') if first.namespace else ()),
        *(part for old, new in first.remappings for part in ('-r', f'{old}:={new}')),
    )

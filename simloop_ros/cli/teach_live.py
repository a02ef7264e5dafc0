"""Keys in a terminal, or lines, that teach a robot which is led by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os
import select
import sys
import termios
import tty
from typing import TYPE_CHECKING

from ..ros.launch.graph import require_ros

if TYPE_CHECKING:
    from ..ros.driver.teach_client import TeachClient

HELP = 'space or enter keeps the pose, r begins and ends a path, s saves, q ends'
POLL = 0.1
"""Time after which a signal is noticed [s]."""
SERVICES = {' ': 'keep', 'k': 'keep', 'r': 'record', 's': 'save'}
QUIT = 'q'


def teach_live(namespace: str) -> int:
    """Call a service for each key, or for the first letter of each line; an empty one keeps.

    :return: 0 if the last call did what was asked for, else 1.
    """
    require_ros()
    from ..ros.driver.teach_client import TeachClient

    client = TeachClient(namespace)
    recording, done = False, True
    try:
        print(HELP, flush=True)
        with _keys(client) as keys:
            for key in keys:
                if key == QUIT:
                    break
                if key not in SERVICES:
                    print(f'{key!r}: {HELP}', flush=True)
                    continue
                done, text = client.call(SERVICES[key], on=not recording)
                if done and key == 'r':
                    recording = not recording
                print(text if done else f'not done: {text}', flush=True)
        if client.interrupts:
            raise KeyboardInterrupt
    finally:
        client.close()
    return 0 if done else 1


@contextmanager
def _keys(client: TeachClient) -> Iterator[Iterator[str]]:
    """Yield the keys that are typed; of input that is no terminal, the first letter of lines."""
    descriptor = sys.stdin.fileno()
    if not sys.stdin.isatty():
        yield (line.strip()[:1].lower() or ' ' for line in _parts(client, descriptor, b'\n'))
        return
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield (' ' if key == '\n' else key.lower() for key in _parts(client, descriptor, b''))
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _parts(client: TeachClient, descriptor: int, end: bytes) -> Iterator[str]:
    """Yield what comes, up to each end, or letter by letter; until a signal, or its end."""
    waiting = b''
    while not client.interrupts:
        ready, _, _ = select.select([descriptor], [], [], POLL)
        if not ready:
            continue
        data = os.read(descriptor, 1024)
        if not data:
            break
        waiting += data
        if not end:
            yield from waiting.decode(errors='replace')
            waiting = b''
        while end and end in waiting:
            line, _, waiting = waiting.partition(end)
            yield line.decode(errors='replace')
    if waiting and not client.interrupts:
        yield waiting.decode(errors='replace')

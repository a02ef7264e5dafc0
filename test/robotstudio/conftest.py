"""Controllers on real sockets: one that does as it should, and one that is told what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
import socket
import struct
import threading

import numpy as np
import pytest
from robotstudio_server import RobotStudioServer

from simloop_ros.robotstudio.axes import Axes
from simloop_ros.robotstudio.config import LinkConfig
from simloop_ros.robotstudio.packet import PACKET_SIZE

JOINT = """<joint name="j{i}" type="{kind}"><parent link="l{h}"/><child link="l{i}"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
izz="1"/></inertial></link>"""
ENDING = 5.0  # longest time for a thread to end on a busy machine [s]


class Script:
    """A controller that answers packet after packet as it is told, then listens until the end.

    An answer is bytes; or a list of pieces with a pause before each, the last one may be ``drop``;
    or ``drop``, ``reset`` (the line breaks) or ``silence``.

    :ivar heard: everything that came, also after the last answer.
    :ivar early: number of packets before which the answer to the one before was not sent yet.
    """

    def __init__(self, *answers: bytes | list[bytes | str] | str, pause: float = 0.05):
        self._answers = answers
        self._pause = pause
        self._listener = socket.create_server(('127.0.0.1', 0))
        self.port: int = self._listener.getsockname()[1]
        self.heard = b''
        self.early = 0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        client, _ = self._listener.accept()
        with client:
            for answer in self._answers:
                wanted = len(self.heard) + PACKET_SIZE
                while len(self.heard) < wanted:
                    self.heard += client.recv(1)
                if answer == 'drop':
                    return
                if answer == 'reset':
                    linger = struct.pack('ii', 1, 0)
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    return
                if isinstance(answer, str):
                    continue
                for piece in [answer] if isinstance(answer, bytes) else answer:
                    client.settimeout(self._pause)
                    try:
                        self.heard += client.recv(1)
                        self.early += 1
                    except TimeoutError:
                        pass
                    client.settimeout(ENDING)
                    if isinstance(piece, str):
                        return
                    client.sendall(piece)
            with suppress(ConnectionResetError):  # who hangs up may have left something unread
                while data := client.recv(1000):
                    self.heard += data

    def close(self) -> None:
        self._thread.join(ENDING)
        assert not self._thread.is_alive()
        self._listener.close()


@pytest.fixture
def script() -> Iterator[Callable[..., Script]]:
    """Return what starts a controller that does as it is told."""
    scripts: list[Script] = []

    def start(*answers: bytes | list[bytes | str] | str) -> Script:
        scripts.append(Script(*answers))
        return scripts[-1]

    yield start
    for each in scripts:
        each.close()


@pytest.fixture
def server() -> Iterator[RobotStudioServer]:
    """Give a controller whose robot moves in no time."""
    server = RobotStudioServer(pace=0.0)
    thread = threading.Thread(target=server.serve)
    thread.start()
    yield server
    server.end()
    thread.join(ENDING)
    assert not thread.is_alive()
    server.close()


@pytest.fixture(scope='session')
def quick() -> Callable[..., LinkConfig]:
    """Return the configuration of a client that does not wait long."""

    def config(port: int, **values: float) -> LinkConfig:
        given = {'connect_timeout': 0.2, 'answer_timeout': 0.4, 'attempts': 2, 'backoff': 0.05}
        return LinkConfig(port=port, **{**given, **values})  # type: ignore[arg-type]

    return config


@pytest.fixture(scope='session')
def axes() -> Axes:
    """Return axes with the ranges and speeds of the data sheet of the ABB IRB 120."""
    return Axes(
        names=tuple(f'joint_{i}' for i in range(1, 7)),
        index=tuple(range(6)),
        lower=np.array([-165.0, -110.0, -110.0, -160.0, -120.0, -400.0]),
        upper=np.array([165.0, 110.0, 70.0, 160.0, 120.0, 400.0]),
        velocity_limit=np.array([250.0, 250.0, 250.0, 320.0, 320.0, 420.0]),
    )


@pytest.fixture
def arm(tmp_path: Path) -> Callable[..., Path]:
    """Return what writes the URDF of joints j1 to j6, which turn by 1 rad at 1 rad/s."""

    def write(last: str = 'revolute') -> Path:
        kinds = ['revolute'] * 5 + [last]
        parts = [JOINT.format(i=i, h=i - 1, kind=kind) for i, kind in enumerate(kinds, 1)]
        path = tmp_path / 'arm.urdf'
        path.write_text(f'<robot name="arm"><link name="l0"/>{"".join(parts)}</robot>')
        return path

    return write


@pytest.fixture
def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        return int(listener.getsockname()[1])

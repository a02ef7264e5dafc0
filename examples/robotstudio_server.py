"""A controller without a robot: ``python examples/robotstudio_server.py``.

Speaks the format of ``simloop_ros.robotstudio.packet`` as the RAPID program in
``docs/robotstudio.md`` does, so that the command and the node can be tried on any machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
import select
import socket
import sys

from simloop_ros.core.errors import USER_ERROR, ConfigError, MessageError, SimloopError
from simloop_ros.robotstudio.config import LinkConfig, read_port
from simloop_ros.robotstudio.packet import OK, PACKET_SIZE, Target, decode, refuse


class RobotStudioServer:
    """Takes targets of one client at a time and answers each after its move time.

    A malformed packet is refused and its client disconnected; then the next may come.

    :param port: on which it listens; 0 for any that is free.
    :param pace: a move takes its time times this; 0 for no time at all.
    :param report: called with each line for the user.
    :ivar targets: those that were reached.
    """

    def __init__(
        self,
        host: str = '127.0.0.1',
        port: int = 0,
        pace: float = 1.0,
        report: Callable[[str], None] = lambda _: None,
    ):
        self._pace = pace
        self._report = report
        self._inbox, self._outbox = socket.socketpair()
        self.targets: list[Target] = []
        try:
            self._listener = socket.create_server((host, port))
        except (OSError, UnicodeError) as error:
            self.close()
            raise ConfigError(f'cannot listen on {host}:{port}: {error}') from error

    @property
    def port(self) -> int:
        """Return the port on which it listens."""
        return int(self._listener.getsockname()[1])

    def serve(self) -> None:
        """Serve one client after the other, until ``end`` is called."""
        while self._wait(self._listener):
            client, address = self._listener.accept()
            self._report(f'client {address[0]}')
            with client, suppress(OSError):  # a client may go at any time
                self._serve(client)
            self._report('client gone')

    def end(self) -> None:
        """Let ``serve`` return, from any thread."""
        self._outbox.send(b'.')

    def close(self) -> None:
        """Free the port."""
        for each in (self._inbox, self._outbox, getattr(self, '_listener', None)):
            if each is not None:
                each.close()

    def _serve(self, client: socket.socket) -> None:
        while len(packet := self._receive(client)) == PACKET_SIZE:
            try:
                target = decode(packet)
            except MessageError as error:
                self._report(f'refused: {error}')
                client.sendall(refuse(str(error)))
                return
            angles = ' '.join(f'{angle:8.3f}' for angle in target.angles)
            self._report(f'{angles} deg in {target.time:g} s')
            if self._wait(None, self._pace * target.time):
                self.targets.append(target)
                client.sendall(OK)

    def _receive(self, client: socket.socket) -> bytes:
        """Return a packet, or less if the client leaves or the server ends."""
        packet = b''
        while len(packet) < PACKET_SIZE and self._wait(client):
            data = client.recv(PACKET_SIZE - len(packet))
            if not data:
                break
            packet += data
        return packet

    def _wait(self, line: socket.socket | None, seconds: float | None = None) -> bool:
        """Wait for a socket, or let time pass [s]; return whether the server goes on."""
        lines = [self._inbox, *([line] if line else [])]
        return self._inbox not in select.select(lines, [], [], seconds)[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C."""
    config = LinkConfig()
    parser = argparse.ArgumentParser(
        prog='robotstudio_server.py',
        description='A controller without a robot.',
    )
    parser.add_argument('--host', default=config.host, help=f'address [{config.host}]')
    parser.add_argument('--port', default=str(config.port), help=f'port [{config.port}]')
    parser.add_argument(
        '--pace',
        type=float,
        default=1.0,
        help='a move takes its time times this [1]; 0 for no time at all',
    )
    options = parser.parse_args(arguments)
    try:
        if not options.host:
            raise ConfigError("host: '' given; a name or an address is needed, 0.0.0.0 for all")
        if not 0.0 <= options.pace < 1e6:
            raise ConfigError(f'pace: {options.pace:g} given; a number from 0 to 1e6 is needed')

        def show(line: str) -> None:
            print(line, flush=True)

        server = RobotStudioServer(options.host, read_port(options.port), options.pace, show)
    except SimloopError as error:
        print(f'simloop: {error}', file=sys.stderr)
        return USER_ERROR
    print(f'listening on {options.host}:{server.port}', flush=True)
    try:
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return 0


if __name__ == '__main__':
    raise SystemExit(main())

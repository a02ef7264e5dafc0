"""The server of a page: viser behind a gate."""

from __future__ import annotations

import contextlib
import io
import secrets
import socket
import sys

import msgspec
import viser

from ...core.errors import ConfigError
from .gate import LOOPBACK, Doorkeeper, Gate

HOST, PORT = '127.0.0.1', 8080
"""Where a page is served if nothing else is asked for."""
TRIED = 100
"""Ports that are tried where none is asked for."""
ANY = ('0.0.0.0', '::', '')


class Served(msgspec.Struct, frozen=True):
    """A page's server.

    :ivar server: of viser; only the gate listens to the network.
    :ivar address: that a browser is to open.
    """

    server: viser.ViserServer
    gate: Gate
    address: str

    def stop(self) -> None:
        """End all connections."""
        self.gate.close()
        with contextlib.redirect_stdout(io.StringIO()):  # viser says that it ends
            self.server.stop()


def serve(host: str = HOST, port: int | None = None) -> Served:
    """Serve a page that is still empty.

    :param host: address to listen at. For one that others can reach, the page's address has a
        token, without which nothing is answered.
    :param port: where none is asked for, 8080 or the next that is free; 0 for any.
    :raises ConfigError: it cannot listen there.
    """
    listening = _listen(host, port)
    bound = listening.getsockname()[1]
    token = '' if host in LOOPBACK else secrets.token_urlsafe(16)
    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(_hidden(), 0, verbose=False)
    behind = (server.get_host(), server.get_port())
    gate = Gate(listening, behind, Doorkeeper(token, bound))
    name = socket.gethostname() if host in ANY else host
    name = f'[{name}]' if ':' in name else name
    query = f'/?token={token}' if token else ''
    return Served(server, gate, f'http://{name}:{bound}{query}')


def _hidden() -> str:
    """Return an address of this machine that no page elsewhere can guess, to go past the gate."""
    if sys.platform != 'linux':
        return '127.0.0.1'
    return '.'.join(['127', *(str(1 + secrets.randbelow(254)) for _ in range(3))])


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens."""
    for each in range(PORT, PORT + TRIED) if port is None else (port,):
        try:
            family = socket.getaddrinfo(host or None, each, type=socket.SOCK_STREAM)[0][0]
            return socket.create_server((host, each), family=family)
        except (OSError, OverflowError) as error:
            reason = getattr(error, 'strerror', None) or str(error)
            taken = isinstance(error, OSError) and error.errno == 98
        if not taken:
            break
    if taken and port is not None:
        raise ConfigError(f'--port {port} is taken: choose another one, or none')
    raise ConfigError(f'cannot listen at {host}, port {each}: {reason}')
